// file_writer.c - writes beside the target, then renames: files appear complete or not at all.
#include "engine/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024, MAX_LINKS = 40, MAX_TRIES = 100 };

static bool fail_with_errno(const char *path, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s: cannot write: %s", file_shown(path, shown), strerror(errno));
}

// The length of the folder in path with its last slash, 0 where there is none.
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

// A copy of `path` with its last part replaced by `name`.
static char *beside(const char *path, const char *name) {
    size_t length = name[0] == '/' ? 0 : folder_length(path);
    size_t size = length + strlen(name) + 1;
    char *result = malloc(size);
    if (result != NULL) {
        memcpy(result, path, length);
        memcpy(result + length, name, size - length);
    }
    return result;
}

// Where the symbolic links that start at path end, whether a file is there or not. NULL with errno.
static char *follow_links(const char *path) {
    char *target = strdup(path);
    for (int i = 0; target != NULL && i < MAX_LINKS; i++) {
        char link[4096];
        ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0) {
            return target;
        }
        link[length] = '\0';
        char *next = beside(target, link);
        free(target);
        target = next;
    }
    free(target);
    errno = target == NULL ? ENOMEM : ELOOP;
    return NULL;
}

static bool is_beside(const char *target, const char *name) {
    char *path = beside(target, name);
    bool is_there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return is_there;
}

// A checkpoint is whole, with checksums, from when its state.json is there. Links of a run lead
// into one.
static bool is_in_checkpoint(const char *target) {
    return is_beside(target, "state.json") && is_beside(target, "optimizer.safetensors");
}

// Decides between a temporary and writing directly, and that the target may be written at all.
static bool look_at_target(FileWriter *writer, Error *err) {
    struct stat info;
    if (is_in_checkpoint(writer->target)) {
        char shown[FILE_NAME_TEXT_BYTES];
        return error_set(err,
                         "%s: cannot write: it lies in the checkpoint of a run, which does not "
                         "change any more; expected another place",
                         file_shown(writer->path, shown));
    }
    if (stat(writer->target, &info) != 0) {
        return errno == ENOENT || fail_with_errno(writer->path, err);
    }
    if (S_ISDIR(info.st_mode)) {
        char shown[FILE_NAME_TEXT_BYTES];
        return error_set(err, "%s: cannot write: it is a folder, expected the name of a file",
                         file_shown(writer->path, shown));
    }
    if (!S_ISREG(info.st_mode)) {
        writer->is_direct = true;
        return true;
    }
    writer->old_mode = info.st_mode & 07777;
    // Renaming over it would succeed, yet who made it read-only meant it.
    return access(writer->target, W_OK) == 0 || fail_with_errno(writer->path, err);
}

// Makes a file under a free name beside the target, or gives one to the file that has none yet.
static bool take_name(FileWriter *writer, Error *err) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", writer->descriptor);
    for (int i = 0; i < MAX_TRIES; i++) {
        char name[64];
        snprintf(name, sizeof name, ".attend-%ld-%d.tmp", (long)getpid(), i);
        char *temporary = beside(writer->target, name);
        if (temporary == NULL) {
            errno = ENOMEM;
            break;
        }
        int done = writer->is_unnamed
                       ? linkat(AT_FDCWD, own, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW)
                       : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (done >= 0) {
            writer->descriptor = writer->is_unnamed ? writer->descriptor : done;
            writer->is_unnamed = false;
            writer->temporary = temporary;
            return true;
        }
        free(temporary);
        if (errno != EEXIST) {
            break;
        }
    }
    return fail_with_errno(writer->path, err);
}

// Where the file system can, the file has no name until it is whole: who is killed leaves nothing.
static bool open_temporary(FileWriter *writer, Error *err) {
    char *folder = access("/proc/self/fd", X_OK) == 0 ? beside(writer->target, ".") : NULL;
    int unnamed = folder == NULL ? -1 : open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (unnamed < 0) {
        return take_name(writer, err);
    }
    writer->descriptor = unnamed;
    writer->is_unnamed = true;
    return true;
}

// Standard output has this name too; it must not be renamed over.
static bool is_standard_output(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

static bool open_descriptor(FileWriter *writer, Error *err) {
    if (is_standard_output(writer->path)) {
        writer->is_direct = true;
        writer->descriptor = STDOUT_FILENO;
        writer->is_terminal = isatty(STDOUT_FILENO) == 1;
        return true;
    }
    if (writer->path[0] == '\0') {
        return error_set(err, "expected the name of a file to write, found an empty one");
    }
    writer->target = follow_links(writer->path);
    if (writer->target == NULL) {
        return fail_with_errno(writer->path, err);
    }
    if (!look_at_target(writer, err)) {
        return false;
    }
    if (!writer->is_direct) {
        return open_temporary(writer, err);
    }
    writer->descriptor = open(writer->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    writer->is_terminal = isatty(writer->descriptor) == 1;
    return writer->descriptor >= 0 || fail_with_errno(writer->path, err);
}

static void free_parts(FileWriter *writer) {
    free(writer->path);
    free(writer->target);
    free(writer->temporary);
    free(writer->buffer);
    *writer = (FileWriter){0};
}

bool file_writer_open(FileWriter *writer, const char *path, Error *err) {
    *writer = (FileWriter){.descriptor = -1, .capacity_bytes = BUFFER_BYTES};
    writer->path = strdup(path);
    writer->buffer = malloc(BUFFER_BYTES);
    if (writer->path == NULL || writer->buffer == NULL) {
        free_parts(writer);
        return error_set(err, "not enough memory to write a file");
    }
    if (!open_descriptor(writer, err)) {
        free_parts(writer);
        return false;
    }
    writer->is_open = true;
    return true;
}

// All of the bytes, however many calls that takes.
static bool send_bytes(FileWriter *writer, const unsigned char *bytes, size_t size_bytes) {
    while (size_bytes > 0) {
        ssize_t written = write(writer->descriptor, bytes, size_bytes);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? EIO : errno;
            return fail_with_errno(writer->is_direct && writer->descriptor == STDOUT_FILENO
                                       ? "standard output"
                                       : writer->path,
                                   &writer->failure);
        }
        bytes += written;
        size_bytes -= (size_t)written;
    }
    return true;
}

static void send_shown(void *context, const char *bytes, size_t length) {
    FileWriter *writer = context;
    if (!error_is_set(&writer->failure)) {
        send_bytes(writer, (const unsigned char *)bytes, length);
    }
}

static bool write_through(FileWriter *writer, const unsigned char *bytes, size_t size_bytes) {
    if (!writer->is_terminal) {
        return send_bytes(writer, bytes, size_bytes);
    }
    shown_pass(&writer->shown, (const char *)bytes, size_bytes, send_shown, writer);
    return !error_is_set(&writer->failure);
}

static bool flush_buffer(FileWriter *writer) {
    size_t used = writer->used_bytes;
    writer->used_bytes = 0;
    return write_through(writer, writer->buffer, used);
}

// Makes the buffer of a memory writer hold size_bytes more and a NUL.
static bool grow_buffer(FileWriter *writer, size_t size_bytes) {
    size_t needed = writer->used_bytes + size_bytes + 1;
    if (needed <= writer->capacity_bytes) {
        return true;
    }
    size_t capacity = needed > writer->capacity_bytes * 2 ? needed : writer->capacity_bytes * 2;
    unsigned char *larger = realloc(writer->buffer, capacity);
    if (larger == NULL) {
        return error_set(&writer->failure, "not enough memory for a text of %zu bytes", needed);
    }
    writer->buffer = larger;
    writer->capacity_bytes = capacity;
    return true;
}

bool file_writer_flush(FileWriter *writer) {
    assert(writer->is_open);
    bool is_held = writer->is_memory || !writer->is_direct;
    return !error_is_set(&writer->failure) && (is_held || flush_buffer(writer));
}

bool file_writer_write(FileWriter *writer, const void *bytes, size_t size_bytes) {
    assert(writer->is_open);
    if (error_is_set(&writer->failure)) {
        return false;
    }
    writer->written_bytes += size_bytes;
    if (writer->is_memory) {
        if (!grow_buffer(writer, size_bytes)) {
            return false;
        }
    } else if (size_bytes > BUFFER_BYTES - writer->used_bytes && !flush_buffer(writer)) {
        return false;
    } else if (size_bytes >= BUFFER_BYTES) {
        return write_through(writer, bytes, size_bytes);
    }
    if (size_bytes > 0) {
        memcpy(writer->buffer + writer->used_bytes, bytes, size_bytes);
        writer->used_bytes += size_bytes;
    }
    return true;
}

bool file_writer_text(FileWriter *writer, const char *text) {
    return file_writer_write(writer, text, strlen(text));
}

bool file_writer_print(FileWriter *writer, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    bool done = false;
    if ((size_t)length < sizeof line) {
        done = file_writer_write(writer, line, (size_t)length);
    } else {
        char *longer = malloc((size_t)length + 1);
        if (longer == NULL) {
            error_set(&writer->failure, "not enough memory to write a line");
        } else {
            vsnprintf(longer, (size_t)length + 1, format, again);
            done = file_writer_write(writer, longer, (size_t)length);
            free(longer);
        }
    }
    va_end(again);
    return done;
}

// A rename is durable once its folder is. A folder that cannot be synced is no reason to fail: the
// file is there.
static void sync_folder(const char *target) {
    char *folder = beside(target, ".");
    int descriptor = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

static bool sync_descriptor(const FileWriter *writer, Error *err) {
    return writer->is_direct || writer->is_unsynced || fsync(writer->descriptor) == 0 ||
           fail_with_errno(writer->path, err);
}

bool file_writer_sync(FileWriter *writer) {
    return !error_is_set(&writer->failure) && flush_buffer(writer) &&
           sync_descriptor(writer, &writer->failure);
}

// Some file systems tell only now that the disk is full.
static bool close_descriptor(FileWriter *writer, Error *err) {
    int descriptor = writer->descriptor;
    writer->descriptor = -1;
    return descriptor == STDOUT_FILENO || close(descriptor) == 0 || errno == EINTR ||
           fail_with_errno(writer->path, err);
}

bool file_writer_commit(FileWriter *writer, Error *err) {
    assert(writer->is_open && !writer->is_memory);
    bool done = !error_is_set(&writer->failure) && flush_buffer(writer);
    shown_end(&writer->shown, send_shown, writer);
    done = done && !error_is_set(&writer->failure);
    if (!done) {
        error_set(err, "%s", writer->failure.text);
    } else if (!writer->is_direct && writer->old_mode != 0 &&
               fchmod(writer->descriptor, writer->old_mode) != 0) {
        done = fail_with_errno(writer->path, err);
    }
    // The name comes last, so that it is there for as short as can be.
    done = done && sync_descriptor(writer, err) && (!writer->is_unnamed || take_name(writer, err));
    done = close_descriptor(writer, done ? err : NULL) && done;
    if (done && writer->temporary != NULL && rename(writer->temporary, writer->target) != 0) {
        done = fail_with_errno(writer->path, err);
    }
    if (writer->temporary != NULL && !done) {
        (void)unlink(writer->temporary);
    } else if (writer->temporary != NULL && !writer->is_unsynced) {
        sync_folder(writer->target);
    }
    free_parts(writer);
    return done;
}

void file_writer_abandon(FileWriter *writer) {
    if (!writer->is_open) {
        return;
    }
    if (!writer->is_memory) {
        close_descriptor(writer, NULL);
    }
    if (writer->temporary != NULL) {
        (void)unlink(writer->temporary);
    }
    free_parts(writer);
}

bool file_writer_open_memory(FileWriter *writer, Error *err) {
    *writer = (FileWriter){.descriptor = -1, .is_memory = true, .capacity_bytes = BUFFER_BYTES};
    writer->buffer = malloc(BUFFER_BYTES);
    writer->is_open = writer->buffer != NULL;
    return writer->is_open || error_set(err, "not enough memory to write a text");
}

bool file_writer_take(FileWriter *writer, FileBytes *bytes, Error *err) {
    assert(writer->is_open && writer->is_memory);
    *bytes = (FileBytes){0};
    bool done = !error_is_set(&writer->failure) && grow_buffer(writer, 0);
    if (done) {
        writer->buffer[writer->used_bytes] = '\0';
        *bytes = (FileBytes){
            .bytes = writer->buffer, .size_bytes = writer->used_bytes, .memory = writer->buffer};
        writer->buffer = NULL;
    } else {
        error_set(err, "%s", writer->failure.text);
    }
    free_parts(writer);
    return done;
}
