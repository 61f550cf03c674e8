/* mpi.c -- what rank 0 of `run --mpi` makes of what it hears (core/cluster/mpi.h): notes of ranks that work, fail, fall
 * silent and are heard again, in at one end of a socket, the tasks that are handed out, out at the other. No MPI. */
#include "core/base/text.h"
#include "core/cluster/mpi.h"
#include "core/cluster/mpi_note.h"
#include "tests/check.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MAX = 9, TASKS_MAX = 9, TEXT = 512 };

/* A note is a letter, a rank and, after a dot, a task:
 *   f1    rank 1 is free, and had no task yet     d1.3  it has done task 3     x1.3  it could not do task 3
 *   l1    nothing is heard of it                  b1    it is heard again
 * Of what comes back 1.3 is task 3 to rank 1, and E the end. */
typedef struct script {
    const char *what;
    int ranks, of;
    const char *notes, *handed_out;
    int left;
    sp_status status;
} script;

static const script scripts[] = {
    { "work is shared out as ranks come", 3, 4, "f1 f2 d2.2 d1.1 d2.3 d1.4", "1.1 2.2 2.3 1.4 E", 0, SP_OK },
    { "the task of a lost rank goes to another", 3, 2, "f1 f2 l1 d2.2 d2.1", "1.1 2.2 2.1 E", 0, SP_OK },
    { "idle when it was lost, back, and given what another has lost", 3, 1, "f1 f2 l2 b2 l1 d2.1", "1.1 2.1 E", 0, SP_OK },
    { "nothing is given to one that is lost", 3, 2, "f1 l2 d1.1 d1.2", "1.1 1.2 E", 0, SP_OK },
    { "back, and free for what is left", 3, 3, "f1 f2 l2 d1.1 b2 d2.2 d1.2 d2.3",
      "1.1 2.2 1.2 2.3 E", 0, SP_OK },
    { "a late FREE counts, and the second of the same task does not", 3, 3, "f1 f2 l1 d2.2 b1 d1.1 d2.1 d1.3",
      "1.1 2.2 2.1 1.3 E", 0, SP_OK },
    { "a task that waits is not handed out once it is done", 3, 2, "f1 f2 l1 b1 d1.1 d2.2", "1.1 2.2 E", 0, SP_OK },
    { "one that is back and still busy gets nothing", 3, 3, "f1 f2 l1 b1 d2.2 d2.1 d2.3", "1.1 2.2 2.1 2.3 E", 0, SP_OK },
    { "a late failure does not count", 3, 2, "f1 f2 l1 d2.2 b1 x1.1 d2.1", "1.1 2.2 2.1 E", 0, SP_OK },
    { "lost twice with one task is one loss", 3, 2, "f1 f2 l1 b1 l1 b1 l1 d2.2 d2.1", "1.1 2.2 2.1 E", 0, SP_OK },
    { "who has what is done elsewhere may be lost", 4, 3, "f1 f2 l1 d2.2 b1 d1.1 l2 d1.3", "1.1 2.2 2.1 1.3 E", 0, SP_OK },
    { "... or fail", 4, 3, "f1 f2 l1 d2.2 b1 d1.1 x2.1 d1.3", "1.1 2.2 2.1 1.3 E", 0, SP_OK },
    { "a failure thrice is given up, the others are done", 2, 2, "f1 x1.1 x1.1 x1.1 d1.2", "1.1 1.1 1.1 1.2 E", 1,
      SP_OK },
    { "a loss is a try", 3, 1, "f1 f2 l1 x2.1 x2.1", "1.1 2.1 2.1 E", 1, SP_OK },
    { "given up, and done after all", 3, 2, "f1 l1 b1 f2 x2.1 x2.1 d1.1 d2.2", "1.1 2.1 2.1 2.2 E", 0, SP_OK },
    { "all lost", 3, 3, "f1 f2 d1.1 l1 l2", "1.1 2.2 1.3 E", 2, SP_EINTERRUPTED },
    { "lost before the first word", 3, 2, "l1 l2", "E", 2, SP_EINTERRUPTED },
    { "lost one after the other, never all at once", 3, 1, "f1 l1 b1 l2 b2 d1.1", "1.1 E", 0, SP_OK },
    { "words that mean nothing", 2, 2, "f1 d0.1 d7.1 d1.9 d1.1 d1.2", "1.1 1.2 E", 0, SP_OK },
    { "the messenger is gone", 2, 2, "f1 d1.1", "1.1 1.2", -1, SP_EIO },
};

static void put_notes(int socket, const char *text)
{
    static const char letter[] = "fdxlb";
    static const sp_mpi_note_kind kind[] = { SP_NOTE_FREE, SP_NOTE_FREE, SP_NOTE_FREE, SP_NOTE_LOST, SP_NOTE_BACK };
    for (const char *at = text; *at; at += strspn(at, " ")) {
        char *end;
        sp_mpi_note note = { .kind = (int32_t)kind[strchr(letter, *at) - letter], .code = *at == 'x' };
        note.rank = (int32_t)strtol(at + 1, &end, 10);
        if (*end == '.')
            note.number = (int32_t)strtol(end + 1, &end, 10);
        CHECK_EQUAL(send(socket, &note, sizeof note, 0), sizeof note);
        at = end;
    }
}

static void take_notes(int socket, int of, char text[TEXT])
{
    sp_mpi_note note;
    size_t length = 0;
    text[0] = '\0';
    while (length < TEXT - 32 && recv(socket, &note, sizeof note, MSG_WAITALL) == sizeof note) {
        const char *space = length > 0 ? " " : "";
        if (note.kind == SP_NOTE_TASK && note.of == of)
            length += (size_t)snprintf(text + length, TEXT - length, "%s%d.%d", space, note.rank, note.number);
        else
            length += (size_t)snprintf(text + length, TEXT - length, "%s%c", space, note.kind == SP_NOTE_END ? 'E' : '?');
    }
}

static void ranks_come_and_go(void)
{
    bool wanted[TASKS_MAX + 1];
    memset(wanted, 1, sizeof wanted);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const script *s = &scripts[i];
        char found[TEXT];
        int ends[2];
        size_t left = 99;
        sp_error error = { 0 };
        CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        sp_mpi mpi = { .path = "the/messenger", .socket = ends[0], .ranks = (size_t)s->ranks };
        put_notes(ends[1], s->notes);
        shutdown(ends[1], SHUT_WR); /* no word comes after these */
        const sp_status status = sp_mpi_hand_out(&mpi, wanted, (size_t)s->of, NULL, &left, &error);
        sp_mpi_end(&mpi);
        take_notes(ends[1], s->of, found);
        close(ends[1]);
        SP_CHECK_REPORT(strcmp(found, s->handed_out) == 0 && status == s->status, "%s: handed out %s for %s, %s (%s)",
                        s->what, found, s->handed_out, sp_status_text(status), error.text);
        if (s->left >= 0)
            SP_CHECK_REPORT(left == (size_t)s->left, "%s: %zu left for %d", s->what, left, s->left);
    }
}

/* Only tasks that are wanted, and what is said of them. */
static char said[TEXT];

static void say(const char *line)
{
    const size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", line);
}

static void what_is_said(void)
{
    static const bool wanted[] = { false, false, true, false, true };
    char found[TEXT];
    int ends[2];
    size_t left = 99;
    said[0] = '\0';
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    sp_mpi mpi = { .socket = ends[0], .ranks = 3 };
    put_notes(ends[1], "f1 f2 l2 b2 x1.2 d1.2 x2.4 x1.4 x1.4");
    CHECK_EQUAL(sp_mpi_hand_out(&mpi, wanted, 4, say, &left, NULL), SP_OK);
    sp_mpi_end(&mpi);
    take_notes(ends[1], 4, found);
    close(ends[1]);
    CHECK_TEXT(found, "1.2 2.4 1.2 1.4 1.4 E");
    CHECK_EQUAL(left, 1);
    CHECK_TEXT(said, "rank 2 is lost, with task 4 of 4, which goes to another rank\n"
                     "rank 2 is heard again\n"
                     "rank 1 could not do task 2 of 4, which goes to another rank\n"
                     "rank 1 could not do task 4 of 4, which goes to another rank\n"
                     "rank 1 could not do task 4 of 4: given up\n");
}

/* A rank that still worked when it was over finds END, though nobody takes its FREE any more. */
static size_t worked;

static sp_status work(void *context, sp_shard shard, sp_error *error)
{
    (void)error;
    worked = shard.number;
    close(*(int *)context); /* the messenger's end */
    return SP_OK;
}

static void a_late_rank_ends_well(void)
{
    int ends[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    sp_mpi mpi = { .socket = ends[0], .rank = 1, .ranks = 2 };
    const sp_mpi_note task = { SP_NOTE_TASK, 1, 3, 4, 0 }, end = { .kind = SP_NOTE_END };
    CHECK_EQUAL(send(ends[1], &task, sizeof task, 0), sizeof task);
    CHECK_EQUAL(send(ends[1], &end, sizeof end, 0), sizeof end);
    worked = 0;
    CHECK_EQUAL(sp_mpi_serve(&mpi, work, &ends[1], NULL), SP_OK);
    CHECK_EQUAL(worked, 3);
    sp_mpi_end(&mpi);

    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); /* and without END it has lost the others */
    mpi = (sp_mpi){ .path = "the/messenger", .socket = ends[0], .rank = 1, .ranks = 2 };
    CHECK_EQUAL(send(ends[1], &task, sizeof task, 0), sizeof task);
    sp_error error = { 0 };
    CHECK_EQUAL(sp_mpi_serve(&mpi, work, &ends[1], &error), SP_EIO);
    CHECK_CONTAINS(error.text, "the/messenger");
    sp_mpi_end(&mpi);
}

/* A messenger that ends before its first word: which, how it ended, what to do. */
static void it_does_not_start(void)
{
    static const struct {
        const char *script, *said;
    } bad[] = {
        { "#!/bin/sh\nexit 3\n", "MPI did not start: ./messenger has ended at once (exit code 3)" },
        { "#!/bin/sh\nkill -KILL $$\n", "(SIGKILL)" },
        { "#!/no/such/shell\n", "(exit code 127)" },
    };
    char folder[] = "/tmp/stillpoint-test-XXXXXX";
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *f = fopen("messenger", "w");
        sp_mpi mpi;
        sp_error error = { 0 };
        CHECK(f && fputs(bad[i].script, f) >= 0 && fclose(f) == 0);
        CHECK_EQUAL(chmod("messenger", 0755), 0);
        CHECK_EQUAL(sp_mpi_start(&mpi, "./messenger", &error), SP_EABSENT);
        CHECK_CONTAINS(error.text, bad[i].said);
        CHECK_CONTAINS(error.text, "ldd ./messenger");
        CHECK_EQUAL(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    }
    unlink("messenger");
    CHECK_EQUAL(chdir("/"), 0);
    rmdir(folder);
}

int main(void)
{
    alarm(60); /* a wait that does not end is a failure */
    ranks_come_and_go();
    what_is_said();
    a_late_rank_ends_well();
    it_does_not_start();
    return sp_check_done();
}
