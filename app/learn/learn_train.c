// learn_train.c - training and decoding by command.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn_actions.h"

static void say_training(Learn *learn, TextId id) {
    const TrainingRun *run = &learn->playground.training.run;
    char step[24];
    char loss[24];
    snprintf(step, sizeof step, "%d", run->n_steps);
    snprintf(loss, sizeof loss, "%.4f",
             run->n_steps > 0 ? (double)run->losses[run->n_steps - 1] : 0.0);
    reply_say(&learn->reply, id, step, loss);
}

bool act_train(Learn *learn, const Command *command, Error *err) {
    Training *training = &learn->playground.training;
    if (!playground_end_decode(&learn->playground, err)) {
        return false;
    }
    cursor_look_at_step(&learn->cursor);
    if (command->id == COMMAND_TRAIN_STEP) {
        training->n_wanted = 1;
        return true;
    }
    if (command->rest[0] == '\0' && training_is_running(training)) {
        training->n_wanted = 0;
        say_training(learn, TEXT_TRAIN_STOPPED);
        return true;
    }
    training->n_wanted = (int)command_count(command, -1);
    if (training->run.n_steps > 0) {
        say_training(learn, TEXT_TRAINING);
    }
    return true;
}

bool act_scrub(Learn *learn, const Command *command, Error *err) {
    (void)err;
    Training *training = &learn->playground.training;
    training->n_wanted = 0;
    int direction = command->id == COMMAND_SCRUB_BACK ? -1 : 1;
    if (!playground_scrub(&learn->playground, direction)) {
        reply_say(&learn->reply, TEXT_NO_SNAPSHOT, NULL, NULL);
        return true;
    }
    cursor_changed(&learn->cursor);
    char step[24];
    snprintf(step, sizeof step, "%d", training_step(training));
    reply_say(&learn->reply, TEXT_SCRUBBED, step, NULL);
    return true;
}

bool act_compare(Learn *learn, const Command *command, Error *err) {
    if (learn->playground.training.run.n_steps == 0) {
        reply_say(&learn->reply, TEXT_NOTHING_COMPARE, NULL, NULL);
        return true;
    }
    if (!learn_may_lose(learn, command)) {
        return true;
    }
    LearnShown shown = learn_shown(learn);
    if (!playground_compare(&learn->playground, err)) {
        return false;
    }
    learn_after_rebuild(learn, &shown);
    reply_say(&learn->reply, TEXT_COMPARING, NULL, NULL);
    return true;
}

static void token_text(const Learn *learn, int32_t id, char *text, size_t size) {
    model_input_token(learn->playground.opened, id, text, size);
}

static void list_tokens(const Learn *learn, char *text, size_t size) {
    const Batch *batch = &learn->playground.opened->batch;
    size_t length = 0;
    text[0] = '\0';
    int i = 0;
    for (; i < batch->shape.T && length + 64 < size; i++) {
        char token[48];
        token_text(learn, batch->tokens[i], token, sizeof token);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", token);
    }
    snprintf(text + length, size - length, "%s", i < batch->shape.T ? " …" : "");
}

static void show_logits(Learn *learn) {
    const OpenModel *opened = learn->playground.opened;
    stepper_go(&learn->playground.stepper, opened->built.nodes.logits);
    (void)stepper_require(&learn->playground.stepper, opened->built.nodes.logits, NULL);
    cursor_forget(&learn->cursor);
    learn->cursor.place.item = 0;
    learn->cursor.place.row = opened->batch.shape.T - 1;
    cursor_look_at_step(&learn->cursor);
}

static bool decode_one(Learn *learn, Error *err) {
    int32_t token = -1;
    if (!playground_decode(&learn->playground, learn->cursor.place.item, &token, err)) {
        return false;
    }
    show_logits(learn);
    char said[48];
    char all[REPLY_BYTES];
    list_tokens(learn, all, sizeof all);
    if (token < 0) {
        reply_say(&learn->reply, TEXT_DECODE_END, all, NULL);
        return true;
    }
    token_text(learn, token, said, sizeof said);
    reply_say(&learn->reply, TEXT_DECODED, said, all);
    return true;
}

static void list_hypothesis(const Learn *learn, const Hypothesis *hypothesis, char *text,
                            size_t size) {
    size_t length = 0;
    text[0] = '\0';
    int i = 0;
    for (; i < hypothesis->n_ids && length + 64 < size; i++) {
        char token[48];
        token_text(learn, hypothesis->ids[i], token, sizeof token);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", token);
    }
    snprintf(text + length, size - length, "%s", i < hypothesis->n_ids ? " …" : "");
}

// The whole tree at once: the view shows how it grew.
static bool decode_with_beam(Learn *learn, int width, Error *err) {
    const Batch *batch = &learn->playground.opened->batch;
    if (batch->source == NULL) {
        return error_set(err, "%s", reply_text(&learn->reply, TEXT_BEAM_TWO_SIDES));
    }
    int item = learn->cursor.place.item < batch->shape.B ? learn->cursor.place.item : 0;
    if (!playground_search(&learn->playground, item, width, err)) {
        return false;
    }
    const Decoding *beam = &learn->playground.beam;
    char best[REPLY_BYTES / 2] = "";
    char second[REPLY_BYTES / 2] = "";
    for (int i = 0; i < beam->n_best && i < 2; i++) {
        list_hypothesis(learn, &beam->best[i], i == 0 ? best : second, sizeof best);
    }
    reply_say(&learn->reply, TEXT_BEAM_DONE, best, second);
    reply_show(&learn->reply, VIEW_OF_BEAM);
    return true;
}

bool act_sampling(Learn *learn, const Command *command, Error *err) {
    SamplingConfig sampling = learn->playground.sampling;
    double number = strtod(command->rest, NULL);
    if (command->id == COMMAND_TEMPERATURE) {
        sampling.temperature = number;
    } else if (command->id == COMMAND_TOP_P) {
        sampling.top_p = number;
    } else {
        sampling.top_k = (int)command_count(command, 0);
    }
    if (!playground_sample(&learn->playground, &sampling, err)) {
        return false;
    }
    reply_show(&learn->reply, VIEW_OF_NEXT_TOKEN);
    return true;
}

bool act_decode(Learn *learn, const Command *command, Error *err) {
    if (command->id == COMMAND_BEAM) {
        long width = command_count(command, 2);
        if (width < 1 || width > 16) {
            return error_set(err, "beam: expected a width from 1 to 16");
        }
        return decode_with_beam(learn, (int)width, err);
    }
    learn->playground.training.n_wanted = 0;
    long n = command_count(command, 1);
    for (long i = 0; i < n; i++) {
        if (!decode_one(learn, err)) {
            return false;
        }
    }
    return true;
}
