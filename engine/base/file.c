// file.c - reads whole files, by mapping where that can be done.
#include "engine/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/utf8.h"

enum {
    FIRST_READ_BYTES = 64 * 1024,
    DEVICE_MAX_BYTES = 64 * 1024 * 1024, // /dev/zero and its like never end
};

// An empty file has no memory to map or to own, yet its bytes are not NULL.
static const unsigned char NO_BYTES[1] = {0};

static bool fail_with_errno(const char *path, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s: cannot read: %s", file_shown(path, shown), strerror(errno));
}

// Opens path for reading and says what it is; folders are refused here.
static bool open_to_read(const char *path, int *descriptor, struct stat *info, Error *err) {
    if (path[0] == '\0') {
        return error_set(err, "expected the name of a file, found an empty one");
    }
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0) {
        return fail_with_errno(path, err);
    }
    if (fstat(*descriptor, info) != 0) {
        fail_with_errno(path, err);
        close(*descriptor);
        return false;
    }
    if (S_ISDIR(info->st_mode)) {
        char shown[FILE_NAME_TEXT_BYTES];
        close(*descriptor);
        return error_set(err, "%s: expected a file, found a folder", file_shown(path, shown));
    }
    return true;
}

static size_t limit_of(int descriptor, size_t max_bytes) {
    struct stat info;
    bool is_device = fstat(descriptor, &info) == 0 && S_ISCHR(info.st_mode);
    bool is_more = max_bytes == 0 || max_bytes > DEVICE_MAX_BYTES;
    return is_device && is_more ? DEVICE_MAX_BYTES : max_bytes;
}

// Reads to the end into memory that grows. expected_bytes may be wrong.
static bool read_to_end(FileBytes *file, int descriptor, const char *path, size_t expected_bytes,
                        size_t max_bytes, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    size_t capacity = expected_bytes > 0 ? expected_bytes + 2 : FIRST_READ_BYTES;
    unsigned char *bytes = malloc(capacity);
    size_t used = 0;
    max_bytes = limit_of(descriptor, max_bytes);
    while (bytes != NULL) {
        if (max_bytes > 0 && used > max_bytes) {
            free(bytes);
            return error_set(err, "%s: expected at most %zu bytes, found more",
                             file_shown(path, shown), max_bytes);
        }
        if (capacity - used < 2) { // room for the NUL and for at least one more byte
            unsigned char *larger = capacity < SIZE_MAX / 2 ? realloc(bytes, capacity * 2) : NULL;
            if (larger == NULL) {
                break;
            }
            bytes = larger;
            capacity *= 2;
        }
        ssize_t got = read(descriptor, bytes + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail_with_errno(path, err);
            free(bytes);
            return false;
        }
        if (got == 0) {
            bytes[used] = '\0';
            *file = (FileBytes){.bytes = bytes, .size_bytes = used, .memory = bytes};
            return true;
        }
        used += (size_t)got;
    }
    free(bytes);
    return error_set(err, "%s: not enough memory to read it", file_shown(path, shown));
}

bool file_read(FileBytes *file, const char *path, size_t max_bytes, Error *err) {
    *file = (FileBytes){0};
    if (strcmp(path, "-") == 0) {
        return read_to_end(file, STDIN_FILENO, "standard input", 0, max_bytes, err);
    }
    int descriptor = -1;
    struct stat info = {0};
    char shown[FILE_NAME_TEXT_BYTES];
    if (!open_to_read(path, &descriptor, &info, err)) {
        return false;
    }
    size_t expected = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    bool done = max_bytes > 0 && expected > max_bytes
                    ? error_set(err, "%s: expected at most %zu bytes, found %zu",
                                file_shown(path, shown), max_bytes, expected)
                    : read_to_end(file, descriptor, path, expected, max_bytes, err);
    close(descriptor);
    return done;
}

bool file_map(FileBytes *file, const char *path, Error *err) {
    *file = (FileBytes){0};
    int descriptor = -1;
    struct stat info = {0};
    if (strcmp(path, "-") == 0) {
        return file_read(file, path, 0, err);
    }
    if (!open_to_read(path, &descriptor, &info, err)) {
        return false;
    }
    bool done = true;
    if (!S_ISREG(info.st_mode)) {
        done = read_to_end(file, descriptor, path, 0, 0, err);
    } else if (info.st_size == 0) {
        *file = (FileBytes){.bytes = NO_BYTES, .is_mapped = true};
    } else {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes == MAP_FAILED) {
            done = fail_with_errno(path, err);
        } else {
            *file =
                (FileBytes){.bytes = bytes, .size_bytes = size, .memory = bytes, .is_mapped = true};
        }
    }
    close(descriptor);
    return done;
}

void file_close(FileBytes *file) {
    if (!file->is_mapped) {
        free(file->memory);
    } else if (file->memory != NULL) {
        munmap(file->memory, file->size_bytes);
    }
    *file = (FileBytes){0};
}

bool file_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_same(const char *a, const char *b) {
    struct stat left;
    struct stat right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

bool file_has_ending(const char *name, const char *ending) {
    const size_t length = strlen(name);
    const size_t n = strlen(ending);
    return length >= n && strcmp(name + length - n, ending) == 0;
}

bool file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

char *file_join(const char *folder, const char *name) {
    size_t length = strlen(folder);
    bool alone = name[0] == '/' || length == 0;
    const char *slash = alone || folder[length - 1] == '/' ? "" : "/";
    size_t size = length + strlen(name) + 2;
    char *joined = malloc(size);
    if (joined != NULL) {
        snprintf(joined, size, "%s%s%s", alone ? "" : folder, slash, name);
    }
    return joined;
}

bool file_make_folder(const char *path, bool *made, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    bool is_new = mkdir(path, 0777) == 0;
    if (made != NULL) {
        *made = is_new;
    }
    if (is_new || (errno == EEXIST && file_is_folder(path))) {
        return true;
    }
    if (errno == EEXIST) {
        return error_set(err, "%s: expected a folder, found a file", file_shown(path, shown));
    }
    return error_set(err, "%s: cannot make this folder: %s", file_shown(path, shown),
                     strerror(errno));
}

const char *file_shown(const char *name, char text[FILE_NAME_TEXT_BYTES]) {
    return utf8_shown(name, text, FILE_NAME_TEXT_BYTES);
}
