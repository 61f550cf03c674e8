/* data_file.h -- `data info FILE KEY=VALUE...`. */
#ifndef SP_VERBS_DATA_FILE_H
#define SP_VERBS_DATA_FILE_H

#include <stddef.h>

/* word[0] is the file, the others are keys of problem.data. The exit code. */
int sp_data_file_info(char **word, size_t words);

#endif
