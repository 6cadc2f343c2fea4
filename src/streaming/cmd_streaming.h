/* cmd_streaming.h - `dolly streaming`: Hadoop Streaming's command line without Hadoop. */
#ifndef STREAMING_CMD_STREAMING_H
#define STREAMING_CMD_STREAMING_H

int cmd_streaming(int argc, char **argv);

#endif
