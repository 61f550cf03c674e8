/* foreign.h -- formats that cannot be read, recognised by their first bytes, so that the message can say so. Included
 * in core/data/ only. */
#ifndef SP_DATA_READ_FOREIGN_H
#define SP_DATA_READ_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* "a NumPy array: numpy.savetxt writes it as CSV", or NULL. `text`: formats that are texts are known, too. */
const char *sp_foreign_format(const char *bytes, size_t size, bool text);

#endif
