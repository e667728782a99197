// safetensors_write.c - writes tensors as one .safetensors file, always the same bytes.
#include "engine/files/safetensors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/json_text.h"

enum { CHUNK_NUMBERS = 16 * 1024, MAX_HEADER_BYTES = 100 * 1000 * 1000 };

// A file's tensors in the order in which they are written.
typedef struct Order {
    int *positions; // in tensors
    const NamedTensor *tensors;
    int count;
} Order;

static int compare_texts(const void *left, const void *right) {
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

// Sorts names, which is the caller's, and looks for neighbours that are equal.
static bool check_different(const char **names, int n, const char *what, Error *err) {
    char shown[FILE_NAME_TEXT_BYTES];
    qsort(names, (size_t)n, sizeof *names, compare_texts);
    for (int i = 0; i < n; i++) {
        if (i > 0 && strcmp(names[i - 1], names[i]) == 0) {
            return error_set(err, "%s \"%s\": expected each name once, found it twice", what,
                             file_shown(names[i], shown));
        }
        if (strcmp(names[i], "__metadata__") == 0) {
            return error_set(err, "%s: the name \"__metadata__\" is taken by the file format",
                             what);
        }
    }
    return true;
}

static bool check_names(const NamedTensor *tensors, int n_tensors, const SafetensorsPair *metadata,
                        int n_metadata, Error *err) {
    size_t room = (size_t)(n_tensors > n_metadata ? n_tensors : n_metadata) + 1;
    const char **names = malloc(room * sizeof *names);
    if (names == NULL) {
        return error_set(err, "not enough memory for the names of %d tensors", n_tensors);
    }
    for (int i = 0; i < n_tensors; i++) {
        names[i] = tensors[i].name;
    }
    bool done = check_different(names, n_tensors, "tensor", err);
    for (int i = 0; i < n_metadata; i++) {
        names[i] = metadata[i].key;
    }
    done = done && check_different(names, n_metadata, "metadata", err);
    free(names);
    return done;
}

// Wider numbers first, else as given: then each tensor begins at a multiple of its number's width.
static bool order_tensors(Order *order, const NamedTensor *tensors, int n_tensors, Error *err) {
    *order = (Order){.tensors = tensors};
    order->positions = malloc(((size_t)n_tensors + 1) * sizeof *order->positions);
    if (order->positions == NULL) {
        return error_set(err, "not enough memory to order %d tensors", n_tensors);
    }
    for (size_t width = 8; width > 0; width /= 2) {
        for (int i = 0; i < n_tensors; i++) {
            if (dtype_bytes(tensors[i].dtype) == width) {
                order->positions[order->count++] = i;
            }
        }
    }
    assert(order->count == n_tensors);
    return true;
}

static void write_entry(FileWriter *header, const NamedTensor *tensor, size_t begin, size_t end) {
    json_text_write_string(header, tensor->name);
    file_writer_print(header, ":{\"dtype\":\"%s\",\"shape\":[", dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->rank; i++) {
        file_writer_print(header, i == 0 ? "%d" : ",%d", tensor->sizes[i]);
    }
    file_writer_print(header, "],\"data_offsets\":[%zu,%zu]}", begin, end);
}

static void write_metadata(FileWriter *header, const SafetensorsPair *metadata, int n_metadata) {
    file_writer_text(header, "\"__metadata__\":{");
    for (int i = 0; i < n_metadata; i++) {
        file_writer_text(header, i == 0 ? "" : ",");
        json_text_write_string(header, metadata[i].key);
        file_writer_text(header, ":");
        json_text_write_string(header, metadata[i].value);
    }
    file_writer_text(header, "}");
}

// The whole header as JSON, padded with spaces so that the data begin at a multiple of 8.
static void write_header(FileWriter *header, const Order *order, const SafetensorsPair *metadata,
                         int n_metadata) {
    file_writer_text(header, "{");
    if (n_metadata > 0) {
        write_metadata(header, metadata, n_metadata);
    }
    size_t begin = 0;
    for (int i = 0; i < order->count; i++) {
        const NamedTensor *tensor = &order->tensors[order->positions[i]];
        size_t end = begin + tensor_data_count(tensor) * dtype_bytes(tensor->dtype);
        file_writer_text(header, i > 0 || n_metadata > 0 ? "," : "");
        write_entry(header, tensor, begin, end);
        begin = end;
    }
    file_writer_text(header, "}");
    while (header->written_bytes % 8 != 0) {
        file_writer_text(header, " ");
    }
}

static void write_data(FileWriter *writer, const NamedTensor *tensor) {
    unsigned char bytes[CHUNK_NUMBERS * 4];
    size_t count = tensor_data_count(tensor);
    for (size_t first = 0; first < count; first += CHUNK_NUMBERS) {
        size_t n = count - first < CHUNK_NUMBERS ? count - first : CHUNK_NUMBERS;
        tensor_data_encode(tensor, first, n, bytes);
        if (!file_writer_write(writer, bytes, n * dtype_bytes(tensor->dtype))) {
            return; // commit says why
        }
    }
}

static bool write_file(const char *path, const Order *order, const FileBytes *header, Error *err) {
    FileWriter writer;
    if (header->size_bytes > MAX_HEADER_BYTES) {
        return error_set(err, "a safetensors header of %zu bytes: expected at most %d",
                         header->size_bytes, MAX_HEADER_BYTES);
    }
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    const uint64_t length = header->size_bytes;
    file_writer_write(&writer, &length, sizeof length);
    file_writer_write(&writer, header->bytes, header->size_bytes);
    for (int i = 0; i < order->count; i++) {
        write_data(&writer, &order->tensors[order->positions[i]]);
    }
    return file_writer_commit(&writer, err);
}

bool safetensors_save(const char *path, const NamedTensor *tensors, int n_tensors,
                      const SafetensorsPair *metadata, int n_metadata, Error *err) {
    Order order = {0};
    FileWriter header;
    FileBytes header_bytes = {0};
    if (!check_names(tensors, n_tensors, metadata, n_metadata, err) ||
        !order_tensors(&order, tensors, n_tensors, err)) {
        return false;
    }
    bool done = file_writer_open_memory(&header, err);
    if (done) {
        write_header(&header, &order, metadata, n_metadata);
        done = file_writer_take(&header, &header_bytes, err) &&
               write_file(path, &order, &header_bytes, err);
    }
    file_close(&header_bytes);
    free(order.positions);
    return done;
}
