// playground.h - the model of a lesson: open it, step through it, change it, take changes back.
#ifndef APP_LEARN_PLAYGROUND_H
#define APP_LEARN_PLAYGROUND_H

#include "app/model_input.h"
#include "engine/tape/stepper.h"
#include "views/screen/view.h"

typedef enum ChangeKind { CHANGE_NUMBER, CHANGE_CONFIG } ChangeKind;

typedef struct Change {
    ChangeKind kind;
    const char *stage; // of a number; in the playground's arena
    size_t element;
    float before, after;
    ModelConfig config_before, config_after;
} Change;

typedef struct Playground {
    Arena arena;       // the words of `input`, stages of changes
    ModelInput input;  // as it was opened
    OpenModel *opened; // model, ids, watched tape, optimizer; owned; NULL: nothing is open
    Stepper stepper;
    ModelConfig config; // as it was opened, before any switch
    Change *changes;    // n_changes; those from n_done on were taken back
    int n_changes, n_done, capacity;
    int n_builds;     // how often the tape was built
    int n_redrawn;    // parameters that the last change of shapes drew anew
    int n_kept;       // and those it kept
    bool is_decoding; // the target grows token by token, there is no loss
    int item;         // that is being decoded, of the ids it was opened with
} Playground;

// "toy-copy --ids "1,5,4;1,3,6" --seed 1": a preset's name or a folder, and the options of the
// command line. On failure what was open stays open.
bool playground_open(Playground *playground, const char *line, Error *err);

// The same checked for its form alone, for the commands of a lesson that is being read.
bool playground_check(const char *line, Error *err);
void playground_close(Playground *playground); // takes a zeroed one

const Tape *playground_tape(const Playground *playground);

// Another configuration over the same weights as far as their shapes are the same; the rest is
// drawn again from the seed. The cursor stays on its stage where that is still there. One change.
bool playground_configure(Playground *playground, const ModelConfig *config, Error *err);

// Sets one number: of an input, a weight, an activation or a gradient; ids have to lie in the
// vocabulary. One change.
bool playground_edit(Playground *playground, Node *node, size_t element, float value, Error *err);

// False, without a sentence, where there is nothing to take back or to do again.
bool playground_undo(Playground *playground, Error *err);
bool playground_redo(Playground *playground, Error *err);

// As it was opened: weights, ids, switches; forgets all changes.
bool playground_reset(Playground *playground, Error *err);

// Other ids over the same model: a text for the source side, words between spaces.
bool playground_input(Playground *playground, const char *text, Error *err);

// One token more after what has been decoded of that item: the model runs, its likeliest next token
// is put behind the target. *token gets it; -1, and nothing changes, where decoding has ended (as
// many tokens as the source has, or the end token). The first call begins with the first token
// alone. sampling: how it is drawn instead; NULL or temperature 0: the likeliest. Its u is set.
bool playground_decode(Playground *playground, int item, ViewSampling *sampling, int32_t *token,
                       Error *err);

// Back from decoding to the ids it was opened with.
bool playground_end_decode(Playground *playground, Error *err);

// Takes the tape apart and builds it anew for the model's present configuration and ids.
bool playground_rebuild(Playground *playground, Error *err);

#endif
