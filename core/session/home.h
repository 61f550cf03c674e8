/* home.h -- where the program's own files are: the scripts of figures, templates, references, experiments.
 *
 * They are in one folder: what STILLPOINT_HOME names, or else the first of these that there is: share/stillpoint beside
 * the folder of the program, as it is installed (and may be moved); share/stillpoint in the folder of the program, which
 * CMake makes in the build folder; where this program was configured to be installed. */
#ifndef SP_SESSION_HOME_H
#define SP_SESSION_HOME_H

#include "core/base/status.h"

/* The folder, a new string. SP_EABSENT names the places where it is not. */
sp_status sp_home(char **folder, sp_error *);
/* The path of a file or a folder in it, a new string; whether it is there, its reader finds out. */
sp_status sp_home_path(const char *name, char **path, sp_error *);
/* The path of this program, a new string. SP_EIO: the system does not say. */
sp_status sp_this_program(char **path, sp_error *);

#endif
