// llmc.c - GPT-2 checkpoints of llm.c: 256 int32 of header, then the tensors, one kind after the
// other.
#include "engine/models/llmc.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/models/family.h"

enum {
    MAGIC = 20240326,
    VERSION_F32 = 3,
    VERSION_BF16 = 5,
    HEADER_INTS = 256,
    HEADER_BYTES = 4 * HEADER_INTS,
    ROW_UNIT = 128,
    LARGEST = 1 << 22, // of any size in a header
    NAME_BYTES = 96,
};

// In the order of the file. part: the name without "transformer." and "h.N.".
typedef struct Kind {
    const char *part;
    bool is_of_layer;
    bool is_transposed; // ours is (in, out)
} Kind;

static const Kind KINDS[] = {
    {"wte.weight", false, false},       {"wpe.weight", false, false},
    {"ln_1.weight", true, false},       {"ln_1.bias", true, false},
    {"attn.c_attn.weight", true, true}, {"attn.c_attn.bias", true, false},
    {"attn.c_proj.weight", true, true}, {"attn.c_proj.bias", true, false},
    {"ln_2.weight", true, false},       {"ln_2.bias", true, false},
    {"mlp.c_fc.weight", true, true},    {"mlp.c_fc.bias", true, false},
    {"mlp.c_proj.weight", true, true},  {"mlp.c_proj.bias", true, false},
    {"ln_f.weight", false, false},      {"ln_f.bias", false, false},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

typedef struct Header {
    int version, n_positions, vocab_size, n_layers, n_heads, channels, rows;
} Header;

static int whole_rows(int vocab_size) {
    return (vocab_size + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
}

static const Parameter *find_parameter(const Model *model, const Kind *kind, int layer) {
    char name[NAME_BYTES];
    if (kind->is_of_layer) {
        snprintf(name, sizeof name, "transformer.h.%d.%s", layer, kind->part);
    } else {
        snprintf(name, sizeof name, "transformer.%s", kind->part);
    }
    const Parameter *parameter = params_find(&model->params, name);
    assert(parameter != NULL);
    return parameter;
}

// ---- reading

static int32_t read_int(const unsigned char *bytes) {
    return (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                     (uint32_t)bytes[3] << 24);
}

bool llmc_recognize(const char *path) {
    FILE *file = fopen(path, "rb");
    unsigned char bytes[4] = {0};
    bool is_one = file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                  read_int(bytes) == MAGIC;
    if (file != NULL) {
        fclose(file);
    }
    return is_one;
}

static double count_numbers(const Header *header) {
    double C = header->channels;
    double layer = 12.0 * C * C + 13.0 * C;
    return (header->rows + (double)header->n_positions + 2.0) * C + header->n_layers * layer;
}

static bool check_header(const Header *header, const FileBytes *file, const char *path,
                         Error *err) {
    if (header->version != VERSION_F32 && header->version != VERSION_BF16) {
        return error_set(err, "%s: version %d, expected 3 (float32) or 5 (bfloat16)", path,
                         header->version);
    }
    const int sizes[] = {header->n_positions, header->vocab_size, header->n_layers,
                         header->n_heads,     header->channels,   header->rows};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] < 1 || sizes[i] > LARGEST) {
            return error_set(err, "%s: header number %zu is %d, expected 1 to %d", path, i + 2,
                             sizes[i], LARGEST);
        }
    }
    if (header->rows < header->vocab_size || header->channels % header->n_heads != 0) {
        return error_set(err,
                         "%s: %d rows for a vocabulary of %d, %d channels for %d heads: expected "
                         "no fewer rows, and heads that divide the channels",
                         path, header->rows, header->vocab_size, header->channels, header->n_heads);
    }
    double number_bytes = header->version == VERSION_F32 ? 4.0 : 2.0;
    double expected = HEADER_BYTES + number_bytes * count_numbers(header);
    return (double)file->size_bytes == expected ||
           error_set(err, "%s: %zu bytes, expected %.0f, as the header says", path,
                     file->size_bytes, expected);
}

static bool read_header(Header *header, const FileBytes *file, const char *path, Error *err) {
    if (file->size_bytes < HEADER_BYTES || read_int(file->bytes) != MAGIC) {
        return error_set(err, "%s: expected a checkpoint of llm.c, which begins with %d", path,
                         MAGIC);
    }
    int numbers[8] = {0};
    for (int i = 0; i < 8; i++) {
        numbers[i] = read_int(file->bytes + (size_t)i * 4);
    }
    *header = (Header){numbers[1], numbers[2], numbers[3], numbers[4],
                       numbers[5], numbers[6], numbers[7]};
    return check_header(header, file, path, err);
}

// The next numbers of the file into a parameter; gives where the one after it begins.
static const unsigned char *read_parameter(Model *model, const Parameter *parameter,
                                           const Kind *kind, Dtype dtype,
                                           const unsigned char *bytes, float *scratch) {
    size_t count = shape_count(&parameter->shape);
    float *values = params_change(&model->params, parameter);
    tensor_data_to_floats(kind->is_transposed ? scratch : values, bytes, dtype, count);
    if (kind->is_transposed) {
        size_t n_in = (size_t)parameter->shape.sizes[0];
        size_t n_out = (size_t)parameter->shape.sizes[1];
        for (size_t i = 0; i < n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                values[i * n_out + o] = scratch[o * n_in + i];
            }
        }
    }
    return bytes + count * dtype_bytes(dtype);
}

static bool read_tensors(Model *model, const Header *header, const FileBytes *file, Error *err) {
    size_t C = (size_t)header->channels;
    Dtype dtype = header->version == VERSION_F32 ? DTYPE_F32 : DTYPE_BF16;
    float *scratch = calloc(4 * C * C + 1, sizeof *scratch);
    if (scratch == NULL) {
        return error_set(err, "out of memory");
    }
    const unsigned char *bytes = file->bytes + HEADER_BYTES;
    for (int i = 0; i < N_KINDS; i++) {
        int n = KINDS[i].is_of_layer ? header->n_layers : 1;
        for (int layer = 0; layer < n; layer++) {
            const Parameter *parameter = find_parameter(model, &KINDS[i], layer);
            bytes = read_parameter(model, parameter, &KINDS[i], dtype, bytes, scratch);
        }
        if (i == 0) {
            bytes += (size_t)(header->rows - header->vocab_size) * C * dtype_bytes(dtype);
        }
    }
    free(scratch);
    return true;
}

static ModelConfig config_of(const Header *header) {
    return (ModelConfig){.family = FAMILY_GPT2,
                         .vocab_size = header->vocab_size,
                         .d_model = header->channels,
                         .n_heads = header->n_heads,
                         .n_layers = header->n_layers,
                         .d_ff = 4 * header->channels,
                         .n_positions = header->n_positions,
                         .layer_norm_eps = 1e-5F,
                         .tie_embeddings = true,
                         .pad_id = -1,
                         .bos_id = -1,
                         .eos_id = -1,
                         .causal = true};
}

static bool open_file(FileBytes *file, Header *header, const char *path, Error *err) {
    *file = (FileBytes){0};
    if (!file_map(file, path, err)) {
        return false;
    }
    if (!read_header(header, file, path, err)) {
        file_close(file);
        return false;
    }
    return true;
}

bool llmc_load(Model *model, const char *path, Error *err) {
    *model = (Model){0};
    FileBytes file;
    Header header = {0};
    if (!open_file(&file, &header, path, err)) {
        return false;
    }
    const ModelConfig config = config_of(&header);
    bool ok = model_init_zeros(model, &config, err) && read_tensors(model, &header, &file, err);
    file_close(&file);
    if (!ok) {
        model_free(model);
    }
    return ok;
}

// ---- looking into a file

// The tensor as it stands in the file: of all layers, (out, in), with the rows past the vocabulary.
static void add_kind(InspectFile *file, const Kind *kind, const Header *header) {
    const int64_t C = header->channels;
    const bool is_table = strcmp(kind->part, "wte.weight") == 0;
    const bool is_places = strcmp(kind->part, "wpe.weight") == 0;
    const bool is_product = kind->is_transposed;
    const int64_t out = strncmp(kind->part, "attn.c_attn", 11) == 0 ? 3 * C
                        : strncmp(kind->part, "mlp.c_fc", 8) == 0   ? 4 * C
                                                                    : C;
    const int64_t in = strcmp(kind->part, "mlp.c_proj.weight") == 0 ? 4 * C : C;
    const bool is_f32 = header->version == VERSION_F32;
    InspectTensor tensor = {.name = arena_text(&file->arena, kind->part),
                            .path = file->path,
                            .type = dtype_name(is_f32 ? DTYPE_F32 : DTYPE_BF16),
                            .is_parameter = true,
                            .n_numbers = 1};
    if (kind->is_of_layer) {
        tensor.sizes[tensor.rank++] = header->n_layers;
    }
    tensor.sizes[tensor.rank++] = is_table ? header->rows : is_places ? header->n_positions : out;
    if (is_table || is_places || is_product) {
        tensor.sizes[tensor.rank++] = in;
    }
    for (int i = 0; i < tensor.rank; i++) {
        tensor.n_numbers *= (size_t)tensor.sizes[i];
    }
    tensor.size_bytes = tensor.n_numbers * dtype_bytes(is_f32 ? DTYPE_F32 : DTYPE_BF16);
    inspect_file_add(file, &tensor);
}

bool llmc_inspect(InspectFile *file, ModelConfig *config, const char *path, Error *err) {
    FileBytes bytes;
    Header header = {0};
    *file = (InspectFile){0};
    if (!open_file(&bytes, &header, path, err)) {
        return false;
    }
    file_close(&bytes);
    const struct {
        const char *key;
        int value;
    } numbers[] = {{"version", header.version},       {"positions", header.n_positions},
                   {"vocabulary", header.vocab_size}, {"layers", header.n_layers},
                   {"heads", header.n_heads},         {"channels", header.channels},
                   {"rows of the table", header.rows}};
    file->path = arena_text(&file->arena, path);
    inspect_file_start(file, INSPECT_LLMC, N_KINDS);
    file->metadata = arena_allocate(&file->arena, sizeof numbers);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        file->metadata[file->n_metadata++] =
            (InspectPair){numbers[i].key, arena_format(&file->arena, "%d", numbers[i].value)};
    }
    for (int i = 0; i < N_KINDS; i++) {
        add_kind(file, &KINDS[i], &header);
    }
    *config = config_of(&header);
    return true;
}

// ---- writing

static void write_ints(FileWriter *writer, const int32_t *numbers, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t number = (uint32_t)numbers[i];
        const unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                                        (unsigned char)(number >> 16),
                                        (unsigned char)(number >> 24)};
        file_writer_write(writer, bytes, sizeof bytes);
    }
}

// Rows of floats as they stand in the file. scratch holds 4 * width bytes.
static void write_floats(FileWriter *writer, const float *values, size_t width, Dtype dtype,
                         unsigned char *scratch) {
    NamedTensor tensor = {
        .name = "", .dtype = dtype, .rank = 1, .sizes = {(int)width}, .values = values};
    tensor_data_encode(&tensor, 0, width, scratch);
    file_writer_write(writer, scratch, width * dtype_bytes(dtype));
}

typedef struct Scratch {
    float *row;
    unsigned char *bytes;
} Scratch;

static void write_parameter(FileWriter *writer, const Model *model, const Parameter *parameter,
                            const Kind *kind, Dtype dtype, const Scratch *scratch) {
    const float *values = params_values(&model->params, parameter);
    size_t width = (size_t)shape_width(&parameter->shape);
    size_t rows = shape_rows(&parameter->shape);
    if (!kind->is_transposed) {
        for (size_t row = 0; row < rows; row++) {
            write_floats(writer, values + row * width, width, dtype, scratch->bytes);
        }
        return;
    }
    for (size_t o = 0; o < width; o++) {
        for (size_t i = 0; i < rows; i++) {
            scratch->row[i] = values[i * width + o];
        }
        write_floats(writer, scratch->row, rows, dtype, scratch->bytes);
    }
}

static void write_tensors(FileWriter *writer, const Model *model, Dtype dtype,
                          const Scratch *scratch) {
    const ModelConfig *config = &model->config;
    for (int i = 0; i < N_KINDS; i++) {
        int n = KINDS[i].is_of_layer ? config->n_layers : 1;
        for (int layer = 0; layer < n; layer++) {
            write_parameter(writer, model, find_parameter(model, &KINDS[i], layer), &KINDS[i],
                            dtype, scratch);
        }
        for (int row = config->vocab_size; i == 0 && row < whole_rows(config->vocab_size); row++) {
            memset(scratch->row, 0, (size_t)config->d_model * sizeof *scratch->row);
            write_floats(writer, scratch->row, (size_t)config->d_model, dtype, scratch->bytes);
        }
    }
}

static bool check_model(const ModelConfig *config, const char *path, Error *err) {
    if (!family_of(config)->is_llmc) {
        return error_set(err, "%s: llm.c's format holds a gpt2 model, found family %s", path,
                         config_family_name(config->family));
    }
    if (!config->tie_embeddings) {
        return error_set(
            err, "%s: llm.c uses the token table as the head, but this model has a head of its own",
            path);
    }
    if (config->d_ff != 4 * config->d_model || fabsf(config->layer_norm_eps - 1e-5F) > 1e-9F ||
        config->layer_norm != NORM_STANDARD) {
        return error_set(err,
                         "%s: llm.c expects a feed-forward of %d and an epsilon of 1e-5, found %d "
                         "and %g",
                         path, 4 * config->d_model, config->d_ff, (double)config->layer_norm_eps);
    }
    return true;
}

bool llmc_save(const Model *model, const char *path, Dtype dtype, Error *err) {
    assert(dtype == DTYPE_F32 || dtype == DTYPE_BF16);
    const ModelConfig *config = &model->config;
    if (!check_model(config, path, err)) {
        return false;
    }
    size_t width = 4 * (size_t)config->d_model;
    Scratch scratch = {calloc(width, sizeof(float)), calloc(width, 4)};
    FileWriter writer = {0};
    bool has_memory = scratch.row != NULL && scratch.bytes != NULL;
    bool ok = has_memory ? file_writer_open(&writer, path, err) : error_set(err, "out of memory");
    if (ok && has_memory) {
        const int32_t header[HEADER_INTS] = {MAGIC,
                                             dtype == DTYPE_F32 ? VERSION_F32 : VERSION_BF16,
                                             config->n_positions,
                                             config->vocab_size,
                                             config->n_layers,
                                             config->n_heads,
                                             config->d_model,
                                             whole_rows(config->vocab_size)};
        write_ints(&writer, header, HEADER_INTS);
        write_tensors(&writer, model, dtype, &scratch);
        ok = file_writer_commit(&writer, err);
    }
    free(scratch.row);
    free(scratch.bytes);
    return ok;
}
