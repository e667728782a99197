// checkpoint_folder.c - folders that appear whole, move and go; checksums of files.
#include "engine/training/checkpoint_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "engine/base/file.h"

bool checkpoint_fail(const char *path, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s: %s", file_shown(path, shown), strerror(errno));
}

bool checkpoint_checksum(const char *path, uint32_t *crc, uint64_t *size_bytes, Error *err) {
    enum { PIECE_BYTES = 256 * 1024 };
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *piece = malloc(PIECE_BYTES);
    bool ok = descriptor >= 0 && piece != NULL;
    uLong sum = crc32(0L, Z_NULL, 0);
    *size_bytes = 0;
    for (ssize_t got = 1; ok && got != 0;) {
        got = read(descriptor, piece, PIECE_BYTES);
        ok = got >= 0 || errno == EINTR;
        if (got > 0) {
            sum = crc32(sum, piece, (uInt)got);
            *size_bytes += (uint64_t)got;
        }
    }
    if (!ok) {
        checkpoint_fail(path, err);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    free(piece);
    *crc = (uint32_t)sum;
    return ok;
}

void checkpoint_sync_folder(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

// Files alone: a checkpoint has no folders within. A link's target is left alone.
static void remove_folder(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (entries == NULL) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
    (void)rmdir(path);
}

bool checkpoint_place(const char *run, const char *from, const char *to, Error *err) {
    char *source = file_join(run, from);
    char *target = file_join(run, to);
    bool ok = source != NULL && target != NULL;
    if (ok && file_exists(target)) {
        ok = renameat2(AT_FDCWD, source, AT_FDCWD, target, RENAME_EXCHANGE) == 0;
        if (!ok && (errno == EINVAL || errno == ENOSYS)) { // a file system without exchange
            checkpoint_remove(run, to);
            ok = rename(source, target) == 0;
        }
        if (ok) {
            remove_folder(source);
        }
    } else if (ok) {
        ok = rename(source, target) == 0;
    }
    if (!ok) {
        checkpoint_fail(to, err);
    }
    checkpoint_sync_folder(run);
    free(source);
    free(target);
    return ok;
}

void checkpoint_remove(const char *run, const char *name) {
    char hidden[256];
    snprintf(hidden, sizeof hidden, ".old-%s", name);
    char *path = file_join(run, name);
    char *old = file_join(run, hidden);
    if (path != NULL && old != NULL) {
        bool is_hidden = name[0] == '.';
        bool moved = !is_hidden && rename(path, old) == 0;
        remove_folder(moved ? old : path);
    }
    free(path);
    free(old);
}

static bool is_folder_itself(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool checkpoint_link(const char *run, const char *name, const char *target, Error *err) {
    char hidden[256];
    snprintf(hidden, sizeof hidden, ".link-%s", name);
    char *path = file_join(run, name);
    char *beside = file_join(run, hidden);
    bool ok = path != NULL && beside != NULL;
    if (ok) {
        (void)unlink(beside);
        ok = symlink(target, beside) == 0;
    }
    if (ok && is_folder_itself(path)) {
        ok = checkpoint_place(run, hidden, name, err);
    } else if (ok) {
        ok = rename(beside, path) == 0;
    }
    if (!ok) {
        checkpoint_fail(name, err);
    }
    free(path);
    free(beside);
    return ok;
}
