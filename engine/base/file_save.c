// file_save.c - whole files written in one call.
#include "engine/base/file.h"

#include <stdlib.h>

bool file_save(const char *path, const void *bytes, size_t size_bytes, Error *err) {
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    file_writer_write(&writer, bytes, size_bytes);
    return file_writer_commit(&writer, err);
}

bool file_save_watched(const char *path, const void *bytes, size_t size_bytes, Progress *progress,
                       Error *err) {
    enum { PIECE_BYTES = 2 * 1024 * 1024 };
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    for (size_t at = 0; at < size_bytes; at += PIECE_BYTES) {
        if (!progress_at(progress, at, size_bytes, err)) {
            file_writer_abandon(&writer);
            return false;
        }
        size_t rest = size_bytes - at;
        bool is_last = rest <= PIECE_BYTES;
        file_writer_write(&writer, (const char *)bytes + at, is_last ? rest : PIECE_BYTES);
        if (!is_last && progress != NULL) {
            file_writer_sync(&writer);
        }
    }
    return file_writer_commit(&writer, err);
}

bool file_copy(const char *name, const char *from_folder, const char *to_folder, Error *err) {
    char *from = file_join(from_folder, name);
    char *to = file_join(to_folder, name);
    FileBytes bytes = {0};
    bool ok = from != NULL && to != NULL && file_read(&bytes, from, 0, err) &&
              file_save(to, bytes.bytes, bytes.size_bytes, err);
    file_close(&bytes);
    free(from);
    free(to);
    return ok;
}
