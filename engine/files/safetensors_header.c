// safetensors_header.c - the checks between a file's bytes and tensors that may be trusted.
#include "engine/files/safetensors_header.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "engine/files/json_text.h"

// The file whose header is read, and the tensor in it that is looked at.
typedef struct Reader {
    Safetensors *set;
    const char *path;
    char shown_path[FILE_NAME_TEXT_BYTES];
    const char *name;
    char shown_name[FILE_NAME_TEXT_BYTES]; // of name, made when it is needed
    const unsigned char *data;
    size_t data_bytes;
    Error *err;
} Reader;

// Fails with "path: tensor "name": " in front.
#define FAIL_TENSOR(reader, format, ...)                                                           \
    error_set((reader)->err, "%s: tensor \"%s\": " format, (reader)->shown_path,                   \
              file_shown((reader)->name, (reader)->shown_name), __VA_ARGS__)

// What stands where something else was expected, in a few words.
static const char *found_text(const json_t *value) {
    switch (value == NULL ? JSON_NULL : json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL: // json_text_decode makes one of an integer beyond 64 bits
        return fabs(json_real_value(value)) < 9e18 ? "a fraction" : "a too big integer";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        break;
    }
    return "nothing";
}

static bool read_dtype(Reader *reader, const json_t *entry, Dtype *dtype) {
    const json_t *value = json_object_get(entry, "dtype");
    if (!json_is_string(value)) {
        return FAIL_TENSOR(reader, "\"dtype\": expected a string, found %s", found_text(value));
    }
    if (!dtype_find(json_string_value(value), dtype)) {
        char shown[FILE_NAME_TEXT_BYTES];
        return FAIL_TENSOR(reader,
                           "unknown dtype \"%.40s\", expected F32, F16, BF16, F64, F8_E4M3, "
                           "F8_E5M2, an integer type or BOOL",
                           file_shown(json_string_value(value), shown));
    }
    return true;
}

// The sizes, and their product times the width of a number, which must fit.
static bool read_shape(Reader *reader, const json_t *entry, StoredTensor *tensor) {
    const json_t *value = json_object_get(entry, "shape");
    if (!json_is_array(value)) {
        return FAIL_TENSOR(reader, "\"shape\": expected an array, found %s", found_text(value));
    }
    if (json_array_size(value) > TENSOR_DATA_MAX_RANK) {
        return FAIL_TENSOR(reader, "expected at most %d axes, found %zu", TENSOR_DATA_MAX_RANK,
                           json_array_size(value));
    }
    tensor->rank = (int)json_array_size(value);
    tensor->count = 1;
    for (int i = 0; i < tensor->rank; i++) {
        const json_t *size = json_array_get(value, (size_t)i);
        if (!json_is_integer(size) || json_integer_value(size) < 0) {
            return FAIL_TENSOR(reader, "\"shape\": expected integers from 0 up, found %s",
                               json_is_integer(size) ? "a negative one" : found_text(size));
        }
        tensor->sizes[i] = json_integer_value(size);
        if (__builtin_mul_overflow(tensor->count, (size_t)tensor->sizes[i], &tensor->count)) {
            return FAIL_TENSOR(reader, "its %d sizes have a product beyond 64 bits", tensor->rank);
        }
    }
    if (__builtin_mul_overflow(tensor->count, dtype_bytes(tensor->dtype), &tensor->size_bytes)) {
        return FAIL_TENSOR(reader, "its %zu numbers have more bytes than 64 bits count",
                           tensor->count);
    }
    return true;
}

static bool read_offsets(Reader *reader, const json_t *entry, StoredTensor *tensor) {
    const json_t *value = json_object_get(entry, "data_offsets");
    const json_t *first = json_array_get(value, 0);
    const json_t *second = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_integer(first) || !json_is_integer(second)) {
        return FAIL_TENSOR(reader, "\"data_offsets\": expected %s", "two integers, [begin, end]");
    }
    json_int_t begin = json_integer_value(first);
    json_int_t end = json_integer_value(second);
    if (begin < 0 || begin > end) {
        return FAIL_TENSOR(reader, "data offsets: expected 0 <= begin <= end, found [%lld, %lld]",
                           (long long)begin, (long long)end);
    }
    if ((uint64_t)end > reader->data_bytes) {
        return FAIL_TENSOR(reader,
                           "data offsets [%lld, %lld] pass the end: the file has %zu bytes "
                           "of data",
                           (long long)begin, (long long)end, reader->data_bytes);
    }
    if ((uint64_t)(end - begin) != tensor->size_bytes) {
        char sizes[TENSOR_DATA_SIZES_BYTES];
        return FAIL_TENSOR(reader,
                           "%s of shape %s needs %zu bytes, its data offsets [%lld, %lld] "
                           "give %lld",
                           dtype_name(tensor->dtype), safetensors_sizes_text(tensor, sizes),
                           tensor->size_bytes, (long long)begin, (long long)end,
                           (long long)(end - begin));
    }
    tensor->bytes = reader->data + begin;
    return true;
}

static bool read_tensor(Reader *reader, const char *name, const json_t *entry,
                        StoredTensor *tensor) {
    reader->name = name;
    if (!json_is_object(entry)) {
        return FAIL_TENSOR(reader,
                           "expected an object with dtype, shape and data_offsets, found %s",
                           found_text(entry));
    }
    tensor->name = arena_text(&reader->set->arena, name);
    tensor->path = reader->path;
    return read_dtype(reader, entry, &tensor->dtype) && read_shape(reader, entry, tensor) &&
           read_offsets(reader, entry, tensor);
}

static bool read_metadata(Reader *reader, json_t *entry) {
    if (json_is_null(entry)) { // none, as the reference reads it
        return true;
    }
    if (!json_is_object(entry)) {
        return error_set(reader->err, "%s: \"__metadata__\": expected an object, found %s",
                         reader->shown_path, found_text(entry));
    }
    Safetensors *set = reader->set;
    size_t size = json_object_size(entry);
    bool wanted = set->metadata == NULL && size > 0;
    if (wanted) {
        set->metadata = arena_allocate(&set->arena, size * sizeof *set->metadata);
    }
    const char *key;
    json_t *value;
    json_object_foreach(entry, key, value) {
        if (!json_is_string(value)) {
            return error_set(
                reader->err, "%s: \"__metadata__\": \"%s\": expected a string, found %s",
                reader->shown_path, file_shown(key, reader->shown_name), found_text(value));
        }
        if (wanted) {
            set->metadata[set->n_metadata++] = (SafetensorsPair){
                arena_text(&set->arena, key), arena_text(&set->arena, json_string_value(value))};
        }
    }
    return true;
}

// By place; tensors without bytes come before the one that begins there.
static int compare_places(const void *left, const void *right) {
    const StoredTensor *a = left;
    const StoredTensor *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes < b->bytes ? -1 : 1;
    }
    if ((a->size_bytes == 0) != (b->size_bytes == 0)) {
        return a->size_bytes == 0 ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

// Each tensor must begin where the one before it ends, and the last one end with the file.
static bool check_places(Reader *reader, StoredTensor *tensors, size_t count) {
    qsort(tensors, count, sizeof *tensors, compare_places);
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t begin = (size_t)(tensors[i].bytes - reader->data);
        reader->name = tensors[i].name;
        if (begin < end) {
            char other[FILE_NAME_TEXT_BYTES];
            return FAIL_TENSOR(reader, "its data begin at %zu, inside \"%.60s\", which ends at %zu",
                               begin, file_shown(tensors[i - 1].name, other), end);
        }
        if (begin > end) {
            return FAIL_TENSOR(reader,
                               "its data begin at %zu, expected %zu, where the tensor before "
                               "ends",
                               begin, end);
        }
        end = begin + tensors[i].size_bytes;
    }
    if (end != reader->data_bytes) {
        return error_set(
            reader->err,
            "%s: expected the data to end with the last tensor, after %zu bytes, found "
            "%zu",
            reader->shown_path, end, reader->data_bytes);
    }
    return true;
}

static bool read_entries(Reader *reader, json_t *header) {
    Safetensors *set = reader->set;
    size_t room = (size_t)set->n_tensors + json_object_size(header);
    StoredTensor *tensors = realloc(set->tensors, (room + 1) * sizeof *tensors);
    if (tensors == NULL) {
        return error_set(reader->err, "%s: not enough memory for %zu tensors", reader->shown_path,
                         room);
    }
    set->tensors = tensors;
    size_t first = (size_t)set->n_tensors;
    size_t count = 0;
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry) {
        bool is_metadata = strcmp(name, "__metadata__") == 0;
        StoredTensor *tensor = &tensors[first + count];
        *tensor = (StoredTensor){0};
        if (is_metadata ? !read_metadata(reader, entry)
                        : !read_tensor(reader, name, entry, tensor)) {
            return false;
        }
        count += is_metadata ? 0 : 1;
    }
    set->n_tensors += (int)count;
    return check_places(reader, tensors + first, count);
}

// The header's length and its bytes, checked against the file before anything is allocated.
static bool find_header(Reader *reader, const unsigned char *bytes, size_t size_bytes,
                        size_t *header_bytes) {
    if (size_bytes < SAFETENSORS_LENGTH_BYTES) {
        return error_set(reader->err,
                         "%s: expected a safetensors file, which starts with 8 bytes, found %zu",
                         reader->shown_path, size_bytes);
    }
    uint64_t length = 0;
    memcpy(&length, bytes, SAFETENSORS_LENGTH_BYTES);
    size_t rest = size_bytes - SAFETENSORS_LENGTH_BYTES;
    if (length > rest) {
        return error_set(reader->err,
                         "%s: the header claims %llu bytes, the file has %zu after its first 8: "
                         "truncated, or no safetensors file",
                         reader->shown_path, (unsigned long long)length, rest);
    }
    if (length > SAFETENSORS_MAX_HEADER_BYTES) {
        return error_set(reader->err, "%s: the header claims %llu bytes, expected at most %d",
                         reader->shown_path, (unsigned long long)length,
                         SAFETENSORS_MAX_HEADER_BYTES);
    }
    if (length < 2 || bytes[SAFETENSORS_LENGTH_BYTES] != '{') {
        return error_set(reader->err, "%s: expected a header that begins with {, found %s",
                         reader->shown_path, length < 2 ? "none" : "something else");
    }
    *header_bytes = (size_t)length;
    return true;
}

bool safetensors_append_file(Safetensors *set, const char *path, const unsigned char *bytes,
                             size_t size_bytes, Error *err) {
    Reader reader = {.set = set, .path = arena_text(&set->arena, path), .err = err};
    size_t header_bytes = 0;
    file_shown(path, reader.shown_path);
    if (!find_header(&reader, bytes, size_bytes, &header_bytes)) {
        return false;
    }
    reader.data = bytes + SAFETENSORS_LENGTH_BYTES + header_bytes;
    reader.data_bytes = size_bytes - SAFETENSORS_LENGTH_BYTES - header_bytes;
    const char *text = (const char *)bytes + SAFETENSORS_LENGTH_BYTES;
    json_t *header = json_text_parse(text, header_bytes, path, err);
    if (header == NULL) {
        return false;
    }
    bool done = json_is_object(header)
                    ? read_entries(&reader, header)
                    : error_set(err, "%s: expected an object as header, found %s",
                                reader.shown_path, found_text(header));
    json_decref(header);
    return done;
}
