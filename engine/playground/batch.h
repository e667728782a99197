// batch.h - the batch of ids that a model runs on, and the items that it is made of.
#ifndef ENGINE_PLAYGROUND_BATCH_H
#define ENGINE_PLAYGROUND_BATCH_H

#include "engine/models/preset.h"

// The ids of a batch, each item of the same length. Owned; batch_free takes a zeroed one.
typedef struct Batch {
    int32_t *source; // (B,S); NULL where there is one side
    int32_t *tokens; // (B,T)
    int32_t *labels; // (B,T); NULL where there is no loss
    BatchShape shape;
    EncodeReport report; // of the texts that it is made of
} Batch;
void batch_free(Batch *batch);
// Puts them into the nodes of a tape of that shape.
void batch_fill(const Batch *batch, const ModelTape *built);

// Computes the weights that such a model takes from its points and their classes (Family.fit).
bool batch_fit(const Batch *batch, Model *model, Error *err);

typedef struct ItemList {
    TokenIds *items;
    int count;
    int capacity;
} ItemList;

// Appends items from "1,5,4;1,3,6"; option names where they came from.
bool item_list_read_ids(ItemList *list, const char *text, const char *option, Error *err);
// Appends one item from text, as batch_encode makes it.
bool item_list_read_text(ItemList *list, const NamedModel *named, const char *text,
                         EncodeReport *report, Error *err);
void item_list_free(ItemList *list);

// False, with a sentence that names the option which takes ids, where no text can be read.
bool batch_has_tokenizer(const NamedModel *named, const char *ids_option, Error *err);

// Appends a text's ids with the marks that a model was trained with: of two sides <s> in front and
// </s> behind, but none behind for the copy toy; words of one side get <s> in front. The model has
// a tokenizer. What was lost is added to *report (may be NULL).
bool batch_encode(const NamedModel *named, const char *text, TokenIds *ids, EncodeReport *report,
                  Error *err);
// True where the text that was encoded gave nothing but marks.
bool batch_is_empty(const NamedModel *named, const TokenIds *ids);

// The design's rules: shorter items are padded on the right where the family has padding; a
// language model's labels are its ids shifted by one unless targets give them; the copy toy's
// target is its source; without a target there are no labels. targets may be empty; targets_shift:
// they are texts, so that a language model's are shifted as well.
bool batch_make(Batch *batch, const NamedModel *named, const ItemList *sources,
                const ItemList *targets, bool targets_shift, Error *err);

#endif
