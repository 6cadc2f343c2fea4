/* cmd_streaming.h - `dolly streaming`: Hadoop Streaming's command line without Hadoop. */
#pragma once

int cmd_streaming(int argc, char **argv);
