/* folder.h - for the runner of unit tests: where test_folder (test.h) makes folders. */
#pragma once

/* Makes a folder for this process, which is removed when the process has ended, also when it was
 * killed. A forked child may have one of its own. */
void test_folders_open(void);
