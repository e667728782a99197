// npy.c - writes NumPy's .npy files (format 1.0) and tells what one holds.
#include "engine/files/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"

// A file is: the magic, 2 bytes of version, the header's length (2 bytes, 4 from version 2), the
// header (a Python dictionary as text, padded with spaces, ending in a line feed), the numbers.
static const unsigned char MAGIC[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum {
    PREFIX_BYTES = sizeof MAGIC + 2 + 2, // before the header, in version 1.0
    ALIGNMENT = 64,
    HEADER_BYTES = 512,
};

// The dictionary of a tensor, its padding and line feed included. Returns the length.
static size_t make_header(const NamedTensor *tensor, char text[HEADER_BYTES]) {
    const char *descr = tensor->dtype == DTYPE_I32 ? "<i4" : "<f4";
    size_t used = (size_t)snprintf(text, HEADER_BYTES,
                                   "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < tensor->rank; i++) {
        used += (size_t)snprintf(text + used, HEADER_BYTES - used, i == 0 ? "%d" : ", %d",
                                 tensor->sizes[i]);
    }
    // Python writes a tuple of one with a comma behind it.
    used +=
        (size_t)snprintf(text + used, HEADER_BYTES - used, tensor->rank == 1 ? ",), }" : "), }");
    size_t padded = (PREFIX_BYTES + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (PREFIX_BYTES + used + 1 < padded) {
        text[used++] = ' ';
    }
    text[used++] = '\n';
    return used;
}

// is_unsynced: the caller makes sure of the disk.
static bool save_one(const char *path, const NamedTensor *tensor, bool is_unsynced, Error *err) {
    // float32 is what the caller holds; NumPy has no BF16.
    NamedTensor plain = *tensor;
    plain.dtype = tensor->dtype == DTYPE_I32 ? DTYPE_I32 : DTYPE_F32;
    char header[HEADER_BYTES];
    size_t length = make_header(&plain, header);
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    writer.is_unsynced = is_unsynced;
    const unsigned char version_and_length[4] = {1, 0, (unsigned char)(length & 0xff),
                                                 (unsigned char)(length >> 8)};
    file_writer_write(&writer, MAGIC, sizeof MAGIC);
    file_writer_write(&writer, version_and_length, sizeof version_and_length);
    file_writer_write(&writer, header, length);
    file_writer_write(&writer, plain.values, tensor_data_count(&plain) * dtype_bytes(plain.dtype));
    return file_writer_commit(&writer, err);
}

bool npy_save(const char *path, const NamedTensor *tensor, Error *err) {
    return save_one(path, tensor, false, err);
}

const char *npy_safe_name(const char *name, char text[NPY_NAME_BYTES]) {
    static const char ending[] = ".npy";
    size_t used = 0;
    for (; used < NPY_NAME_BYTES - sizeof ending && name[used] != '\0'; used++) {
        char c = name[used];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[used] = is_plain || c == '_' || (used > 0 && (c == '.' || c == '-')) ? c : '_';
    }
    if (used == 0) {
        text[used++] = '_';
    }
    memcpy(text + used, ending, sizeof ending);
    return text;
}

typedef char SafeName[NPY_NAME_BYTES];

static int compare_safe_names(const void *left, const void *right) {
    return strcmp(left, right);
}

// Two tensors must not go into the same file.
static bool check_names(const NamedTensor *tensors, int n_tensors, Error *err) {
    SafeName *names = malloc(((size_t)n_tensors + 1) * sizeof *names);
    if (names == NULL) {
        return error_set(err, "not enough memory for the names of %d tensors", n_tensors);
    }
    for (int i = 0; i < n_tensors; i++) {
        npy_safe_name(tensors[i].name, names[i]);
    }
    qsort(names, (size_t)n_tensors, sizeof *names, compare_safe_names);
    bool done = true;
    for (int i = 1; i < n_tensors && done; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            done = error_set(err, "%s: expected one tensor for this file, found two", names[i]);
        }
    }
    free(names);
    return done;
}

// The files of a folder that is being written: first into `inside`, a hidden folder in it, then,
// when all are on disk, one by one to their places. So a full disk leaves what was there.
typedef struct FolderWriter {
    const char *folder;
    char inside[PATH_MAX];
    int descriptor; // of inside
    const NamedTensor *tensors;
    int n_tensors;
} FolderWriter;

static bool fail_with_errno(const char *path, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    return error_set(err, "%s: cannot write: %s", file_shown(path, shown), strerror(errno));
}

static bool open_inside(FolderWriter *writer, Error *err) {
    int length = snprintf(writer->inside, sizeof writer->inside, "%s/.attend-%ld.tmp",
                          writer->folder, (long)getpid());
    if ((size_t)length >= sizeof writer->inside - NPY_NAME_BYTES) {
        errno = ENAMETOOLONG;
        return fail_with_errno(writer->folder, err);
    }
    if (mkdir(writer->inside, 0777) != 0 && errno != EEXIST) {
        return fail_with_errno(writer->folder, err);
    }
    writer->descriptor = open(writer->inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return writer->descriptor >= 0 || fail_with_errno(writer->folder, err);
}

// One wait for the disk serves all files: one each, and hundreds of them take seconds.
static bool write_inside(const FolderWriter *writer, Error *err) {
    for (int i = 0; i < writer->n_tensors; i++) {
        char path[PATH_MAX + NPY_NAME_BYTES];
        SafeName name;
        snprintf(path, sizeof path, "%s/%s", writer->inside,
                 npy_safe_name(writer->tensors[i].name, name));
        if (!save_one(path, &writer->tensors[i], true, err)) {
            return false;
        }
    }
    return syncfs(writer->descriptor) == 0 || fail_with_errno(writer->folder, err);
}

static bool move_outside(const FolderWriter *writer, Error *err) {
    int folder = open(writer->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return fail_with_errno(writer->folder, err);
    }
    bool done = true;
    for (int i = 0; i < writer->n_tensors && done; i++) {
        SafeName name;
        npy_safe_name(writer->tensors[i].name, name);
        done = renameat(writer->descriptor, name, folder, name) == 0 || fail_with_errno(name, err);
    }
    (void)fsync(folder); // the files are there; a folder that cannot be synced is no reason to fail
    close(folder);
    return done;
}

static void close_inside(const FolderWriter *writer) {
    for (int i = 0; writer->descriptor >= 0 && i < writer->n_tensors; i++) {
        SafeName name;
        (void)unlinkat(writer->descriptor, npy_safe_name(writer->tensors[i].name, name), 0);
    }
    if (writer->descriptor >= 0) {
        close(writer->descriptor);
    }
    (void)rmdir(writer->inside);
}

bool npy_save_folder(const char *folder, const NamedTensor *tensors, int n_tensors, Error *err) {
    bool made = false;
    FolderWriter writer = {
        .folder = folder, .descriptor = -1, .tensors = tensors, .n_tensors = n_tensors};
    if (!check_names(tensors, n_tensors, err) || !file_make_folder(folder, &made, err)) {
        return false;
    }
    bool done =
        open_inside(&writer, err) && write_inside(&writer, err) && move_outside(&writer, err);
    close_inside(&writer);
    if (!done && made) {
        (void)rmdir(folder);
    }
    return done;
}
