// end_ids.c - the tokens after which a model of other programs writes no more.
#include "engine/models/end_ids.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/files/json_text.h"

static const char KEY[] = "eos_token_id";

bool end_ids_have(const EndIds *ends, int32_t id) {
    for (int i = 0; i < ends->n_ids; i++) {
        if (ends->ids[i] == id) {
            return true;
        }
    }
    return false;
}

static bool append_one(EndIds *ends, const json_t *value, const char *where, int vocab_size,
                       Error *err) {
    const json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
    const bool is_in = id >= 0 && id < vocab_size;
    if (json_is_null(value) || (!is_in && id == END_IDS_GPT2) ||
        (is_in && end_ids_have(ends, (int32_t)id))) {
        return true;
    }
    if (!is_in) {
        return error_set(err, "%s: \"%s\": expected an id from 0 to %d, or a list of ids", where,
                         KEY, vocab_size - 1);
    }
    if (ends->n_ids == END_IDS_MOST) {
        return error_set(err, "%s: \"%s\": expected %d ids at most", where, KEY, END_IDS_MOST);
    }
    ends->ids[ends->n_ids++] = (int32_t)id;
    return true;
}

bool end_ids_append(EndIds *ends, json_t *object, const char *where, int vocab_size, Error *err) {
    json_t *value = json_object_get(object, KEY);
    if (!json_is_array(value)) {
        return value == NULL || append_one(ends, value, where, vocab_size, err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(value); i++) {
        ok = append_one(ends, json_array_get(value, i), where, vocab_size, err);
    }
    return ok;
}

// Those that say where the file comes from, and ids that config.json and the tokenizer have.
static bool is_silent(const char *key) {
    static const char *const SILENT[] = {"_from_model_config", "transformers_version",
                                         "bos_token_id",       "pad_token_id",
                                         "use_cache",          KEY};
    for (size_t i = 0; i < sizeof SILENT / sizeof SILENT[0]; i++) {
        if (strcmp(key, SILENT[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void name_others(json_t *object, const char *path, Buffer *notes) {
    const char *key = NULL;
    json_t *value = NULL;
    int n_named = 0;
    json_object_foreach(object, key, value) {
        if (!is_silent(key) && !json_is_null(value)) {
            char shown[FILE_NAME_TEXT_BYTES];
            buffer_append_text(notes, n_named++ == 0 ? path : ",");
            buffer_format(notes, "%s \"%s\"", n_named == 1 ? ":" : "", file_shown(key, shown));
        }
    }
    if (n_named > 0) {
        buffer_append_text(notes, n_named == 1 ? " has" : " have");
        buffer_append_text(notes, " no effect: options of the command say how tokens are drawn\n");
    }
}

static void name_foreign(const json_t *value, const char *path, int vocab_size, Buffer *notes) {
    bool is_there = json_integer_value(value) == END_IDS_GPT2;
    for (size_t i = 0; i < json_array_size(value); i++) {
        is_there = is_there || json_integer_value(json_array_get(value, i)) == END_IDS_GPT2;
    }
    if (is_there && vocab_size <= END_IDS_GPT2) {
        buffer_format(notes, "%s: \"%s\": %d is not among the %d tokens: it stands for none\n",
                      path, KEY, END_IDS_GPT2, vocab_size);
    }
}

bool end_ids_read(EndIds *ends, const char *folder, int vocab_size, Buffer *notes, Error *err) {
    char *path = file_join(folder, "generation_config.json");
    if (path == NULL || !file_exists(path)) {
        free(path);
        return true;
    }
    json_t *object = json_text_load(path, err);
    bool ok = object != NULL && end_ids_append(ends, object, path, vocab_size, err);
    if (ok) {
        name_others(object, path, notes);
        name_foreign(json_object_get(object, KEY), path, vocab_size, notes);
    }
    json_decref(object);
    free(path);
    return ok;
}

bool end_ids_save(const EndIds *ends, int config_id, const char *folder, Error *err) {
    if (ends->n_ids == 0 || (ends->n_ids == 1 && ends->ids[0] == config_id)) {
        return true;
    }
    Buffer text = {0};
    buffer_append_text(&text, "{\n  \"eos_token_id\": [");
    for (int i = 0; i < ends->n_ids; i++) {
        buffer_format(&text, "%s%d", i == 0 ? "" : ", ", (int)ends->ids[i]);
    }
    buffer_append_text(&text, "]\n}\n");
    char *path = file_join(folder, "generation_config.json");
    bool ok = path != NULL && buffer_save(&text, path, err);
    free(path);
    buffer_free(&text);
    return ok;
}
