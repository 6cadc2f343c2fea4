/* cmd_streaming.h - `dolly streaming`: Hadoop Streaming's command line without Hadoop. */
#ifndef JOBS_STREAMING_CMD_STREAMING_H
#define JOBS_STREAMING_CMD_STREAMING_H

int cmd_streaming(int argc, char **argv);

#endif
