// output_check.h - what is written must not replace what is read.
#ifndef APP_OUTPUT_CHECK_H
#define APP_OUTPUT_CHECK_H

#include <stdbool.h>

#include "engine/base/error.h"

// False, with a sentence, where output is the file or folder that is read, a file of the model
// whose folder is read, or the folder of a model of which a file is read. Either may be NULL or
// "-": nothing that could be replaced. Every command that reads and writes asks here.
bool output_check(const char *output, const char *read, Error *err);

#endif
