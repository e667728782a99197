// playground_private.h - what the files of the playground share.
#ifndef ENGINE_PLAYGROUND_PLAYGROUND_PRIVATE_H
#define ENGINE_PLAYGROUND_PLAYGROUND_PRIVATE_H

#include "engine/playground/playground.h"

enum { PLAYGROUND_MAX_WORDS = 64 };

// A line cut into words at spaces; quotes hold a word together. *n_words gets how many.
bool playground_split(Arena *arena, const char *line, char **words, int *n_words, Error *err);

// The options of an `open` line.
bool playground_read_line(Arena *arena, ModelInput *input, const char *line, Error *err);

// The text as it lies in the playground's arena: the same text takes memory once.
const char *playground_keep_text(Playground *playground, const char *text);

// One change: these ids, whose memory it takes, in the place of those that are there.
bool playground_change_ids(Playground *playground, const Batch *batch, PlaygroundText text,
                           Error *err);

// Puts another tape in the place of the present one, for the model's present configuration and ids;
// what was edited and is in force is edited in it, the cursor stays on its stage where that is
// there. False, and all stays, where it cannot be built.
bool playground_rebuild(Playground *playground, Error *err);

// The same for a model that comes in the place of the present one, which goes to *opened without
// its tape.
bool playground_exchange_model(Playground *playground, OpenModel **opened, Error *err);

// The draws' seed becomes that of the model which is open.
void playground_follow_seed(Playground *playground);

void playground_close_model(OpenModel *opened);
// Fails, and all stays, where weights that are fitted to ids cannot be.
bool playground_set_number(Playground *playground, Node *node, size_t element, float value,
                           Error *err);
// Weights that were set and are in force are set again: others were fitted to the ids.
void playground_apply_weights(Playground *playground);

// A new change after those that are done; those that were taken back are forgotten. NULL without
// memory. kept, made by playground_keep, is what comes into force; it goes to the change.
Change *playground_push(Playground *playground, ChangeKind kind, Kept *kept, Error *err);
// A change of the configuration with the weights in kept->model; without numbers there the weights
// stay and kept is given back. Where the weights before are too large to be kept nothing before can
// be taken back.
bool playground_push_weights(Playground *playground, const ModelConfig *config, Kept *kept,
                             Error *err);
Kept *playground_keep(const Playground *playground, Error *err);
void playground_free_kept(Kept *kept);
// Of a change and all that it put aside.
size_t playground_change_bytes(const Change *change);
// Takes the last change back for good: what it began could not be done.
void playground_drop_change(Playground *playground);
void playground_forget_changes(Playground *playground);

// Lets the last change take place, whose kept part changes places with what is there; false, and
// the change is gone, where that fails.
bool playground_carry_out(Playground *playground, Error *err);

#endif
