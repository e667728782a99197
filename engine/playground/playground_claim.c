// playground_claim.c - what claims of a lesson ask of the model that is open: stages, the loss,
// words.
#include "engine/playground/playground_claim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/models/accuracy.h"
#include "engine/playground/lengths.h"

// More numbers than this are not kept for "@start".
enum { MAX_KEPT = 8 * 1000 * 1000 };

typedef struct StartStage {
    const char *name;
    ClaimStage stage;
} StartStage;

struct ClaimStart {
    Arena arena;
    StartStage *stages;
    int n;
};

static bool is_open(const PlaygroundClaims *claims, Error *err) {
    return claims->playground->opened != NULL || error_set(err, "no model is open");
}

static ClaimStage stage_of(const Tape *tape, const Node *node) {
    return (ClaimStage){.shape = node->shape,
                        .values = node_holds_ids(node) ? NULL : tape_values(tape, node),
                        .ids = node_holds_ids(node) ? tape_ids(tape, node) : NULL};
}

static void keep_stage(ClaimStart *start, const Tape *tape, const Node *node) {
    StartStage *kept = &start->stages[start->n++];
    ClaimStage stage = stage_of(tape, node);
    size_t size_bytes = shape_count(&node->shape) * sizeof(float); // ids are as wide
    void *copy = arena_allocate(&start->arena, size_bytes);
    const void *numbers = stage.ids != NULL ? (const void *)stage.ids : stage.values;
    assert(numbers != NULL);
    memcpy(copy, numbers, size_bytes);
    *kept = (StartStage){arena_text(&start->arena, node->stage), stage};
    kept->stage.values = stage.values == NULL ? NULL : copy;
    kept->stage.ids = stage.ids == NULL ? NULL : copy;
}

static bool has_numbers(const Node *node) {
    return node->stage != NULL && node->array.data != NULL;
}

void playground_claims_free(PlaygroundClaims *claims) {
    if (claims->start != NULL) {
        arena_free(&claims->start->arena);
        free(claims->start);
        claims->start = NULL;
    }
}

void playground_claims_keep(PlaygroundClaims *claims) {
    playground_claims_free(claims);
    const Tape *tape = playground_tape(claims->playground);
    size_t total = 0;
    for (int i = 0; tape != NULL && i < tape->n_nodes; i++) {
        total += has_numbers(tape->nodes[i]) ? shape_count(&tape->nodes[i]->shape) : 0;
    }
    claims->start = total == 0 || total > MAX_KEPT ? NULL : calloc(1, sizeof *claims->start);
    if (claims->start == NULL) {
        return;
    }
    ClaimStart *start = claims->start;
    if (!stepper_require(&claims->playground->stepper, tape->nodes[tape->n_nodes - 1], NULL)) {
        playground_claims_free(claims);
        return;
    }
    start->stages = arena_allocate(&start->arena, (size_t)tape->n_nodes * sizeof *start->stages);
    for (int i = 0; i < tape->n_nodes; i++) {
        if (has_numbers(tape->nodes[i])) {
            keep_stage(start, tape, tape->nodes[i]);
        }
    }
}

static bool start_stage(const PlaygroundClaims *claims, const char *name, ClaimStage *stage,
                        Error *err) {
    for (int i = 0; claims->start != NULL && i < claims->start->n; i++) {
        if (strcmp(claims->start->stages[i].name, name) == 0) {
            *stage = claims->start->stages[i].stage;
            return true;
        }
    }
    return error_set(err, "%s@start: no such number was there before the commands of this stop",
                     name);
}

bool playground_claim_stage(void *context, const char *name, ClaimMoment moment, ClaimStage *stage,
                            Error *err) {
    const PlaygroundClaims *claims = context;
    if (moment.time == CLAIM_TRAIN) {
        return error_set(err, "%s@train: only the loss is kept for every step of the training",
                         name);
    }
    if (moment.time == CLAIM_START) {
        return start_stage(claims, name, stage, err);
    }
    if (!is_open(claims, err)) {
        return false;
    }
    Stepper *stepper = &claims->playground->stepper;
    const Node *node = stepper_find(stepper, name);
    if (node == NULL) {
        return error_set(err, "no stage is called \"%s\"", name);
    }
    if (!stepper_require(stepper, node, err)) {
        return false;
    }
    *stage = stage_of(playground_tape(claims->playground), node);
    return true;
}

static bool loss_at(PlaygroundClaims *claims, ClaimMoment moment, double *value, Error *err) {
    const TrainingRun *run = claims->run;
    if (moment.time == CLAIM_TRAIN) {
        if (moment.step < 1 || moment.step > run->n_steps) {
            return error_set(err, "loss@train:%d: the training has %d steps", moment.step,
                             run->n_steps);
        }
        int at = training_run_find(run, moment.step);
        if (at < 0) {
            return error_set(err,
                             "loss@train:%d: in a run of %d steps not all are kept: the first "
                             "%d are, and the last",
                             moment.step, run->n_steps, TRAINING_RUN_WHOLE);
        }
        *value = (double)run->losses[at];
        return true;
    }
    const Node *loss = playground_tape(claims->playground)->loss;
    ClaimStage stage = {.values = NULL};
    if (loss == NULL) {
        return error_set(err, "there is no loss: nothing says which tokens are right");
    }
    if (!playground_claim_stage(claims, loss->stage, moment, &stage, err)) {
        return false;
    }
    assert(stage.values != NULL);
    *value = (double)stage.values[0];
    return true;
}

static bool count_steps(const Stepper *stepper, const char *phase, double *value, Error *err) {
    static const char *const NAMES[] = {
        [PHASE_FORWARD] = "forward", [PHASE_BACKWARD] = "backward", [PHASE_UPDATE] = "update"};
    int n_found = 0;
    *value = 0.0;
    for (int k = 0; k < 3; k++) {
        bool counts = phase[0] == '\0' || strcmp(phase, NAMES[k]) == 0;
        n_found += counts;
        for (int i = 0; counts && i < stepper->n_steps; i++) {
            *value += (int)stepper->steps[i]->phase == k;
        }
    }
    return n_found > 0 ||
           error_set(err, "steps(%s): expected forward, backward, update or nothing", phase);
}

// Of the labels, how many have the largest logit: a part of 1.
static bool accuracy_now(Playground *playground, double *value, Error *err) {
    const ModelTape *built = &playground->opened->built;
    int n = 0;
    if (!stepper_require(&playground->stepper, built->nodes.logits, err)) {
        return false;
    }
    const int pad_id = playground->opened->named.model.config.pad_id;
    const int n_right = accuracy_count_right(&built->tape, &built->nodes, pad_id, &n);
    *value = n == 0 ? 0.0 : (double)n_right / n;
    return n > 0 || error_set(err, "there are no labels: nothing says what is right");
}

static bool right_at(Playground *playground, const char *words, double *value, Error *err) {
    LengthCurve curve;
    if (!lengths_measure(&curve, playground->opened, err)) {
        return false;
    }
    char *end = NULL;
    long length = strtol(words, &end, 10);
    if (*end != '\0' || length < curve.shortest || length > curve.longest) {
        return error_set(err, "right(%s): expected a number of words from %d to %d", words,
                         curve.shortest, curve.longest);
    }
    *value = (double)curve.right[length];
    return true;
}

bool playground_claim_scalar(void *context, const char *name, const char *argument,
                             ClaimMoment moment, double *value, Error *err) {
    PlaygroundClaims *claims = context;
    if (!is_open(claims, err)) {
        return false;
    }
    const Model *model = &claims->playground->opened->named.model;
    bool is_loss = strcmp(name, "loss") == 0;
    if (!is_loss && moment.time != CLAIM_NOW) {
        return error_set(err, "%s: only stages and the loss were kept", name);
    }
    if (is_loss) {
        return loss_at(claims, moment, value, err);
    }
    if (strcmp(name, "accuracy") == 0) {
        return accuracy_now(claims->playground, value, err);
    }
    if (strcmp(name, "right") == 0) {
        return right_at(claims->playground, argument, value, err);
    }
    if (strcmp(name, "steps") == 0) {
        return count_steps(&claims->playground->stepper, argument, value, err);
    }
    *value = strcmp(name, "vocabulary") == 0 ? (double)model->config.vocab_size
                                             : (double)params_count(&model->params);
    return true;
}

// Behind the space that a token may begin with, as SentencePiece writes it.
static const char *behind_space(const char *text) {
    static const char MARK[] = "▁";
    return text + (strncmp(text, MARK, sizeof MARK - 1) == 0 ? sizeof MARK - 1 : text[0] == ' ');
}

bool playground_claim_token(void *context, const char *word, int32_t *id, Error *err) {
    const PlaygroundClaims *claims = context;
    if (!is_open(claims, err)) {
        return false;
    }
    const OpenModel *opened = claims->playground->opened;
    bool is_found = false;
    for (int32_t i = 0; i < opened->named.model.config.vocab_size; i++) {
        char text[256];
        model_input_token(opened, i, text, sizeof text);
        bool is_word = strcmp(text, word) == 0;
        if (is_word || (!is_found && strcmp(behind_space(text), word) == 0)) {
            *id = i;
            is_found = true;
        }
        if (is_word) {
            return true;
        }
    }
    return is_found || error_set(err, "the vocabulary has no \"%s\"", word);
}
