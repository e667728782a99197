// playground.h - the model of a lesson: open it, step through it, change it, take changes back.
#ifndef ENGINE_PLAYGROUND_PLAYGROUND_H
#define ENGINE_PLAYGROUND_PLAYGROUND_H

#include "engine/generation/decode.h"
#include "engine/generation/sampling.h"
#include "engine/playground/model_input.h"
#include "engine/playground/training.h"
#include "engine/tape/stepper.h"

typedef enum ChangeKind {
    CHANGE_NUMBER,
    CHANGE_CONFIG,
    CHANGE_IDS,   // another input, or a token that was decoded
    CHANGE_MODEL, // another model, or the same as it was opened
} ChangeKind;

// What stands in the ids, and how it came there.
typedef struct PlaygroundText {
    const char *typed; // in the playground's arena; NULL: the ids that the model was opened with
    bool is_decoding;  // the target grows token by token, there is no loss
    int item;          // that is being decoded, of the ids before
    int n_given;       // tokens that stood there before the first one was decoded
    const SamplingDraw *draws; // that the decoded ones were chosen by, the newest; NULL: none
} PlaygroundText;

// What a change put aside and an undo puts back; redo changes places again. Each kind of change
// uses a part of it.
typedef struct Kept {
    OpenModel *opened;   // CHANGE_MODEL: owned, without its tape
    ModelInput input;    // and how it was opened
    ModelConfig config;  // before any switch
    Model model;         // CHANGE_CONFIG that drew weights anew
    Optimizer optimizer; // of that model
    Training training;   // and its history, as that of CHANGE_MODEL
    Batch batch;         // CHANGE_IDS
    PlaygroundText text; // of the ids, both for CHANGE_IDS and CHANGE_MODEL
} Kept;

typedef struct Change {
    ChangeKind kind;
    char *what;  // owned; the command that did it, "mask off"; NULL: nobody said
    char *stage; // owned; of a number
    size_t element;
    float before, after;
    ModelConfig config_before, config_after;
    Kept *kept; // NULL: nothing had to be put aside
} Change;

// A line that opened a model, and what it says; in the playground's arena, each line once.
typedef struct OpenLine OpenLine;

typedef struct Playground {
    Progress *progress; // of who waits for what is done here; borrowed; NULL: nobody waits
    const char *device; // where a line does not say one; borrowed; NULL: the CPU
    Arena arena;        // the words of `input`, stages of changes
    OpenLine *lines;    // that were read so far; a text of ids is a line too
    ModelInput input;   // as it was opened
    OpenModel *opened;  // model, ids, watched tape, optimizer; owned; NULL: nothing is open
    Stepper stepper;
    ModelConfig config; // as it was opened, before any switch
    Change *changes;    // n_changes; those from n_done on were taken back
    int n_changes, n_done, capacity;
    int n_fixed;       // the first ones, which cannot be taken back any more: numbers in force
    uint64_t n_pushed; // changes ever made
    int n_builds;      // how often the tape was built
    int n_redrawn;     // parameters that the last change of shapes drew anew
    int n_kept;        // and those it kept
    PlaygroundText text;
    Training training;       // of the model's weights
    Decoding beam;           // of these weights and ids; n_steps 0: none
    SamplingConfig sampling; // how tokens are decoded: temperature 0 as it begins; its seed is that
                             // of the model
} Playground;

// "toy-copy --ids "1,5,4;1,3,6" --seed 1": a preset's name or a folder, and the options of the
// command line. On failure what was open stays open. Where something was open it is one change.
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

// As it was opened: weights, ids, switches. One change; of another seed too, without training.
bool playground_reset(Playground *playground, Error *err);
bool playground_seed(Playground *playground, uint64_t seed, Error *err);

// Other ids over the same model: a text for the source side, words between spaces. One change.
bool playground_input(Playground *playground, const char *text, Error *err);

// ---- playground_points.c: of a model of points; they lie on a grid, so the nearest place is
// taken. One change each. A classifier that is fitted is fitted again, one that learns goes on from
// its weights.
bool playground_move_point(Playground *playground, int point, double x, double y, Error *err);
bool playground_add_point(Playground *playground, int label, double x, double y, Error *err);
bool playground_remove_point(Playground *playground, int point, Error *err);

// ---- playground_undo.c: changes are taken back and done again, whatever they were

// The last changes are kept, as many as PLAYGROUND_CHANGES and as PLAYGROUND_KEPT_BYTES hold, at
// least one; of those before them only the numbers that are in force stay.
enum { PLAYGROUND_CHANGES = 256, PLAYGROUND_KEPT_BYTES = 32 * 1024 * 1024 };

// Takes back the last change. False, without a sentence, where there is nothing to take back or to
// do again.
bool playground_undo(Playground *playground, Error *err);
bool playground_redo(Playground *playground, Error *err);

// True where the model that is open can be put aside too; else a reset, another model or weights of
// another shape forget all changes, since they could not be taken back.
bool playground_can_keep(const Playground *playground);

// True where a change still shows: a number of other ids or of a model that was put aside does not.
bool playground_is_in_force(const Playground *playground, const Change *change);
int playground_count_in_force(const Playground *playground);

// Calls what was done since n_pushed changes had been made by the command that did it.
void playground_name_changes(Playground *playground, uint64_t n_pushed, const char *what);

// ---- playground_train.c: the weights learn while somebody looks

// Trains for about budget_ms, or until the steps that playground->training wants are done. *n_done
// gets how many were finished.
bool playground_train(Playground *playground, double budget_ms, int *n_done, Error *err);

// Shows the weights of the snapshot before (-1) or after (1); false where there is none.
bool playground_scrub(Playground *playground, int direction);
// The same for the weights after a step.
bool playground_scrub_to(Playground *playground, int step);

// The weights drawn again from the seed, the means of the updates 0; the run so far is kept beside
// the new one, to be compared with it. One change.
bool playground_compare(Playground *playground, Error *err);

// ---- decoding

// One token more after what has been decoded of that item: the model runs, its next token is put
// behind the target. *token gets it; -1, and nothing changes, where decoding has ended (as many
// tokens as the source has, or the end token). The first call begins with the first token alone.
// The token is the one that `attend generate` draws after the same text with the same settings and
// seed: its first draw is number 0. One change.
bool playground_decode(Playground *playground, int item, int32_t *token, Error *err);

// The settings from now on; false, with a sentence, for one that cannot be. The seed stays.
bool playground_sample(Playground *playground, const SamplingConfig *sampling, Error *err);

// The number of the draw that the next decoded token will be chosen by, from the last row of
// logits; -1: nothing is being decoded, or it has ended.
int playground_next_draw(const Playground *playground);

// The width likeliest translations of an item's source, with the whole tree, to playground->beam.
bool playground_search(Playground *playground, int item, int width, Error *err);

// Back from decoding to the ids before. One change.
bool playground_end_decode(Playground *playground, Error *err);

#endif
