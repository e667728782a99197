// batch.c - the batch of ids that a model runs on, and the items that it is made of.
#include "engine/playground/batch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/plural.h"
#include "engine/models/family.h"
#include "engine/models/text_marks.h"

static TokenIds *append_item(ItemList *list) {
    if (list->count == list->capacity) {
        int capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        TokenIds *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] = (TokenIds){0};
    return &list->items[list->count++];
}

void item_list_free(ItemList *list) {
    for (int i = 0; i < list->count; i++) {
        token_ids_free(&list->items[i]);
    }
    free(list->items);
    *list = (ItemList){0};
}

bool item_list_read_ids(ItemList *list, const char *text, const char *option, Error *err) {
    TokenIds *item = append_item(list);
    const char *at = text;
    while (item != NULL) {
        char *end = NULL;
        errno = 0;
        long id = strtol(at, &end, 10);
        if (end == at || errno != 0 || id < INT32_MIN || id > INT32_MAX) {
            return error_set(err,
                             "%s \"%.80s\": expected ids as in \"1,5,4;1,3,6\", found \"%.20s\"",
                             option, text, at);
        }
        token_ids_append(item, (int32_t)id);
        while (*end == ' ') {
            end++;
        }
        if (*end == '\0') {
            return true;
        }
        if (*end != ',' && *end != ';') {
            return error_set(err, "%s \"%.80s\": expected a comma or a semicolon, found \"%.20s\"",
                             option, text, end);
        }
        item = *end == ';' ? append_item(list) : item;
        at = end + 1;
    }
    return error_set(err, "out of memory");
}

static TextMarks find_marks(const NamedModel *named) {
    return text_marks_shown(&named->model.config, &named->tokenizer, !named->copies);
}

bool batch_encode(const NamedModel *named, const char *text, TokenIds *ids, EncodeReport *report,
                  Error *err) {
    const TextMarks marks = find_marks(named);
    if (marks.bos_id >= 0) {
        token_ids_append(ids, marks.bos_id);
    }
    EncodeReport found = {0};
    bool ok = tokenizer_encode(&named->tokenizer, text, strlen(text), ids, &found, err);
    if (report != NULL) {
        encode_report_add(report, &found);
    }
    if (marks.eos_id >= 0) {
        token_ids_append(ids, marks.eos_id);
    }
    return ok;
}

bool batch_is_empty(const NamedModel *named, const TokenIds *ids) {
    const TextMarks marks = find_marks(named);
    return ids->count <= (size_t)(marks.bos_id >= 0) + (size_t)(marks.eos_id >= 0);
}

bool batch_has_tokenizer(const NamedModel *named, const char *ids_option, Error *err) {
    return named->tokenizer.n_pieces > 0 ||
           error_set(err, "%s has no tokenizer: expected %s \"1,5,4\" instead of a text",
                     named->name, ids_option);
}

bool item_list_read_text(ItemList *list, const NamedModel *named, const char *text,
                         EncodeReport *report, Error *err) {
    if (!batch_has_tokenizer(named, "--ids", err)) {
        return false;
    }
    TokenIds *item = append_item(list);
    return item == NULL ? error_set(err, "out of memory")
                        : batch_encode(named, text, item, report, err);
}

void batch_free(Batch *batch) {
    free(batch->source);
    free(batch->tokens);
    free(batch->labels);
    *batch = (Batch){0};
}

void batch_fill(const Batch *batch, const ModelTape *built) {
    const Tape *tape = &built->tape;
    const ModelNodes *nodes = &built->nodes;
    tape_set_ids(tape, nodes->tokens, batch->tokens);
    if (nodes->source != NULL) {
        tape_set_ids(tape, nodes->source, batch->source);
    }
    if (nodes->labels != NULL) {
        tape_set_ids(tape, nodes->labels, batch->labels);
    }
}

bool batch_fit(const Batch *batch, Model *model, Error *err) {
    const Family *family = family_of(&model->config);
    return family->fit == NULL ||
           family->fit(model, batch->shape, batch->tokens, batch->labels, err);
}

static int longest(const ItemList *list) {
    size_t length = 0;
    for (int i = 0; i < list->count; i++) {
        length = list->items[i].count > length ? list->items[i].count : length;
    }
    return (int)length;
}

// Of a model that tells classes the first ids are these, which are labels and nothing else.
static bool check_ids(const TokenIds *item, int number, const ModelConfig *config, bool are_labels,
                      Error *err) {
    int n_classes = family_of(config)->n_classes;
    int first = are_labels ? 0 : n_classes;
    int end = are_labels && n_classes > 0 ? n_classes : config->vocab_size;
    for (size_t k = 0; k < item->count; k++) {
        int32_t id = item->ids[k];
        bool is_none = are_labels && id == -1;
        if (!is_none && (id < first || id >= end)) {
            return error_set(err, "item %d, position %zu: id %d is %s, expected %d to %d", number,
                             k, id,
                             n_classes == 0 ? "outside the vocabulary"
                             : are_labels   ? "no class"
                                            : "no point",
                             first, end - 1);
        }
    }
    return true;
}

static bool check_items(const ItemList *list, const ModelConfig *config, bool are_labels,
                        Error *err) {
    for (int i = 0; i < list->count; i++) {
        const TokenIds *item = &list->items[i];
        if (item->count == 0) {
            return error_set(err, "item %d of the input is empty: expected at least one token", i);
        }
        if (item->count != list->items[0].count && config->pad_id < 0) {
            return error_set(err,
                             "item %d has %zu tokens, item 0 has %zu: this model has no padding, "
                             "expected equal lengths",
                             i, item->count, list->items[0].count);
        }
        if (!check_ids(item, i, config, are_labels, err)) {
            return false;
        }
    }
    return true;
}

// Columns first .. first+width of every item, padded on the right. NULL without memory.
static int32_t *columns(const ItemList *list, int first, int width, int32_t pad) {
    int32_t *ids = calloc((size_t)list->count * (size_t)width + 1, sizeof *ids);
    for (int i = 0; ids != NULL && i < list->count; i++) {
        const TokenIds *item = &list->items[i];
        for (int k = 0; k < width; k++) {
            size_t at = (size_t)first + (size_t)k;
            ids[i * width + k] = at < item->count ? item->ids[at] : pad;
        }
    }
    return ids;
}

static bool make_language_batch(Batch *batch, const NamedModel *named, const ItemList *sources,
                                const ItemList *targets, bool targets_shift, Error *err) {
    int T = longest(sources);
    batch->shape = (BatchShape){.B = sources->count, .T = T};
    batch->tokens = columns(sources, 0, T, 0);
    bool tells_classes = family_of(&named->model.config)->n_classes > 0;
    bool are_given = targets->count > 0 && (!targets_shift || tells_classes);
    if (are_given && longest(targets) != T) {
        return error_set(err, "%s: expected %d labels, one for each %s, found %d",
                         tells_classes ? "--target" : "--target-ids", T,
                         tells_classes ? "point" : "id", longest(targets));
    }
    int n_targets = longest(targets);
    if (!are_given && targets->count > 0 && n_targets != T && n_targets != T + 1) {
        return error_set(err,
                         "--target: its tokens from the second on are the labels: expected %d or "
                         "%d for an input of %d, found %d",
                         T, T + 1, T, n_targets);
    }
    if (are_given) {
        batch->labels = columns(targets, 0, T, -1);
    } else if (!tells_classes && (targets->count > 0 || T > 1)) {
        batch->labels = columns(targets->count > 0 ? targets : sources, 1, T, -1);
    }
    return true;
}

static bool make_pair_batch(Batch *batch, const NamedModel *named, const ItemList *sources,
                            const ItemList *targets, Error *err) {
    const ModelConfig *config = &named->model.config;
    const ItemList *sides = targets->count > 0 || !named->copies ? targets : sources;
    int S = longest(sources);
    batch->source = columns(sources, 0, S, config->pad_id);
    batch->shape = (BatchShape){.B = sources->count, .T = 1, .S = S};
    int width = longest(sides);
    if (width >= 2) {
        batch->shape.T = width - 1;
        batch->tokens = columns(sides, 0, width - 1, config->pad_id);
        batch->labels = columns(sides, 1, width - 1, config->pad_id);
        return true;
    }
    if (width == 1) {
        batch->tokens = columns(sides, 0, 1, config->pad_id);
        return true;
    }
    batch->tokens = calloc((size_t)sources->count, sizeof *batch->tokens);
    for (int i = 0; batch->tokens != NULL && i < sources->count; i++) {
        batch->tokens[i] = config->bos_id;
    }
    (void)err;
    return true;
}

bool batch_make(Batch *batch, const NamedModel *named, const ItemList *sources,
                const ItemList *targets, bool targets_shift, Error *err) {
    const ModelConfig *config = &named->model.config;
    *batch = (Batch){0};
    bool two_sides = config_has_two_sides(config);
    if (!check_items(sources, config, false, err) ||
        !check_items(targets, config, !two_sides, err)) {
        return false;
    }
    if (targets->count > 0 && targets->count != sources->count) {
        return error_set(err, "%d target%s for %d input%s: expected one for each", targets->count,
                         plural(targets->count), sources->count, plural(sources->count));
    }
    bool ok = two_sides ? make_pair_batch(batch, named, sources, targets, err)
                        : make_language_batch(batch, named, sources, targets, targets_shift, err);
    if (ok && batch->tokens == NULL) {
        ok = error_set(err, "out of memory");
    }
    if (!ok) {
        batch_free(batch);
    }
    return ok;
}
