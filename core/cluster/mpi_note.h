/* mpi_note.h -- what the program and stillpoint-mpi (mpi/messenger.c), which alone knows MPI, say to one another through a
 * socket, and ranks through MPI: numbers alone. */
#ifndef SP_CLUSTER_MPI_NOTE_H
#define SP_CLUSTER_MPI_NOTE_H

#include <stdint.h>

typedef enum {
    SP_NOTE_HELLO, /* of a messenger to its program: it is `rank` of `of` */
    SP_NOTE_TASK,  /* of rank 0 to `rank`: task `number` of `of` */
    SP_NOTE_FREE,  /* of `rank` to rank 0: task `number` has ended, done or (code not 0) not; 0: it had none yet */
    SP_NOTE_LOST,  /* of a messenger to its program: nothing is heard of `rank` any more */
    SP_NOTE_BACK,  /* of rank 0's messenger to its program: `rank`, which was lost, is heard again */
    SP_NOTE_END,   /* of rank 0: there is nothing left to do */
    SP_NOTE_BEAT,  /* between messengers: still there */
    SP_NOTE_BYE,   /* of a messenger to that of rank 0: END has come */
    SP_NOTE_LAST   /* of the messenger of rank 0 to the others: each rank has said BYE, or (code not 0) not */
} sp_mpi_note_kind;

typedef struct sp_mpi_note {
    int32_t kind, rank, number, of, code;
} sp_mpi_note;

enum { SP_MPI_SOCKET = 3 }; /* the messenger's end */

#endif
