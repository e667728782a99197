// file.h - reads whole files and writes files that appear complete or not at all.
#ifndef ENGINE_BASE_FILE_H
#define ENGINE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/base/progress.h"
#include "engine/base/shown.h"

enum { FILE_NAME_TEXT_BYTES = 200 };

// The bytes of a whole file. They are followed by one NUL, so that a text can be used as a string
// (file_read only). A zeroed one is empty; file_close takes it.
typedef struct FileBytes {
    const unsigned char *bytes; // NULL only when zeroed
    size_t size_bytes;
    void *memory;   // the same place, for close; NULL for an empty mapping
    bool is_mapped; // false: allocated
} FileBytes;

// Reads path, which may be a pipe, or "-" for standard input, into memory. More than max_bytes is
// an error; 0 means no limit, or 64 MiB from a device (/dev/zero has no end).
bool file_read(FileBytes *file, const char *path, size_t max_bytes, Error *err);

// Maps a regular file read-only (pages come in when they are touched, big files cost no memory);
// anything else is read as by file_read. No NUL follows a mapped file.
bool file_map(FileBytes *file, const char *path, Error *err);
void file_close(FileBytes *file);

bool file_is_folder(const char *path);
bool file_is_same(const char *a, const char *b); // two names of one that is there
bool file_exists(const char *path);
bool file_has_ending(const char *name, const char *ending);

// "folder/name" into *joined (malloc, the caller's). An absolute name is kept as it is.
char *file_join(const char *folder, const char *name);

// Makes the folder, but not its parents; one that is there already is fine. *made (may be NULL)
// says which.
bool file_make_folder(const char *path, bool *made, Error *err);

// How a name from outside is shown in a sentence: control codes and broken UTF-8 as "\x1b", long
// ones cut with "...". Returns text.
const char *file_shown(const char *name, char text[FILE_NAME_TEXT_BYTES]);

// One file on its way to disk. Bytes go to a temporary beside the target; commit makes it durable
// (fsync) and renames it, so that path holds the old bytes or the new ones, never a part. A
// symbolic link stays one: its target is replaced, unless it lies in a run's checkpoint. "-"
// (standard output) and what is no regular file
// (/dev/null, a fifo, a terminal) are written directly. The first failure is kept and told by
// commit; writes after it do nothing.
typedef struct FileWriter {
    int descriptor;
    bool is_open;     // false in a zeroed writer
    bool is_direct;   // no temporary
    bool is_unnamed;  // the temporary has no name yet
    bool is_memory;   // buffer holds everything
    bool is_terminal; // what would steer it is shown as "\x1b"
    char *path;       // as given, for sentences
    char *target;     // path with its links followed
    char *temporary;  // its path; NULL while it has none
    unsigned char *buffer;
    size_t used_bytes;
    size_t capacity_bytes; // of buffer
    size_t written_bytes;  // in all, the buffer included
    bool is_unsynced;      // set after open by who writes many files and then syncs them at once
    mode_t old_mode;       // of the file that is replaced, 0 where there is none
    ShownText shown;       // on its way to a terminal
    Error failure;
} FileWriter;

// Fails, with nothing changed on disk, where path cannot be written.
bool file_writer_open(FileWriter *writer, const char *path, Error *err);

// False once anything failed; the reason comes with commit.
bool file_writer_write(FileWriter *writer, const void *bytes, size_t size_bytes);
bool file_writer_text(FileWriter *writer, const char *text);
bool file_writer_print(FileWriter *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Sends what a direct writer holds back, for a reader who answers; others keep it until commit.
bool file_writer_flush(FileWriter *writer);

// Brings to the disk what was written so far, so that the end of a large file does not wait for all
// of it.
bool file_writer_sync(FileWriter *writer);

// Ends the writer, whatever comes of it: on success the file is there; else the old one is as it
// was, and no temporary is left.
bool file_writer_commit(FileWriter *writer, Error *err);

// Ends the writer without a trace (of what went to a temporary). Takes a zeroed or committed one.
void file_writer_abandon(FileWriter *writer);

// A writer that keeps its bytes, for a text that is made before its length must be known. take ends
// it and hands the bytes over, with a NUL behind them.
bool file_writer_open_memory(FileWriter *writer, Error *err);
bool file_writer_take(FileWriter *writer, FileBytes *bytes, Error *err);

// Removes from a folder what writers left there that were killed: temporaries of processes that are
// no more. Only where a file system knows no files without a name are there any worth a word.
void file_remove_leftovers(const char *folder);

// All of it in one call.
bool file_save(const char *path, const void *bytes, size_t size_bytes, Error *err);

// The same for who waits: large files are written, and brought to the disk, piece by piece. Ended,
// the file is as it was.
bool file_save_watched(const char *path, const void *bytes, size_t size_bytes, Progress *progress,
                       Error *err);

// A file of one folder into another under its name, as file_save.
bool file_copy(const char *name, const char *from_folder, const char *to_folder, Error *err);

#endif
