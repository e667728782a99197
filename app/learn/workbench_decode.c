// workbench_decode.c - the model speaks: one token after the other, or the whole tree of a beam.
#include <stdio.h>
#include <stdlib.h>

#include "app/learn/workbench.h"

static void token_text(const Workbench *bench, int32_t id, char *text, size_t size) {
    model_input_token(bench->playground.opened, id, text, size);
}

static void list_tokens(const Workbench *bench, char *text, size_t size) {
    const Batch *batch = &bench->playground.opened->batch;
    size_t length = 0;
    text[0] = '\0';
    int i = 0;
    for (; i < batch->shape.T && length + 64 < size; i++) {
        char token[48];
        token_text(bench, batch->tokens[i], token, sizeof token);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", token);
    }
    snprintf(text + length, size - length, "%s", i < batch->shape.T ? " …" : "");
}

// The row of logits that a token was chosen from, or the last one: what comes next.
static void show_logits(Workbench *bench, bool is_chosen) {
    const OpenModel *opened = bench->playground.opened;
    stepper_go(&bench->playground.stepper, opened->built.nodes.logits);
    (void)stepper_require(&bench->playground.stepper, opened->built.nodes.logits, NULL);
    cursor_forget(&bench->cursor);
    bench->cursor.place.item = 0;
    bench->cursor.place.row = opened->batch.shape.T - (is_chosen ? 2 : 1);
    cursor_look_at_step(&bench->cursor);
}

static void say_decoded(Workbench *bench, int32_t token) {
    char said[48];
    char all[REPLY_BYTES];
    list_tokens(bench, all, sizeof all);
    if (token < 0) {
        reply_say(bench->reply, TEXT_DECODE_END, all, NULL);
        return;
    }
    token_text(bench, token, said, sizeof said);
    reply_say(bench->reply, TEXT_DECODED, said, all);
}

// What was decoded before the work was ended stays.
static bool decode_tokens(Workbench *bench, long n, Error *err) {
    Playground *playground = &bench->playground;
    int32_t token = 0;
    bool ok = true;
    long n_done = 0;
    for (; ok && token >= 0 && n_done < n; n_done++) {
        progress_piece(playground->progress, (size_t)n_done, (size_t)n);
        ok = playground_decode(playground, bench->cursor.place.item, &token, err);
    }
    progress_piece(playground->progress, 0, 0);
    if (n_done > 1 || (n_done > 0 && ok)) {
        show_logits(bench, true);
    }
    if (ok && n_done > 0) {
        say_decoded(bench, token);
    }
    return ok;
}

static void list_hypothesis(const Workbench *bench, const Hypothesis *hypothesis, char *text,
                            size_t size) {
    size_t length = 0;
    text[0] = '\0';
    int i = 0;
    for (; i < hypothesis->n_ids && length + 64 < size; i++) {
        char token[48];
        token_text(bench, hypothesis->ids[i], token, sizeof token);
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " " : "", token);
    }
    snprintf(text + length, size - length, "%s", i < hypothesis->n_ids ? " …" : "");
}

// The whole tree at once: the view shows how it grew.
static bool decode_with_beam(Workbench *bench, int width, Error *err) {
    const Batch *batch = &bench->playground.opened->batch;
    if (batch->source == NULL) {
        return error_set(err, "%s", reply_text(bench->reply, TEXT_BEAM_TWO_SIDES));
    }
    int item = bench->cursor.place.item < batch->shape.B ? bench->cursor.place.item : 0;
    if (!playground_search(&bench->playground, item, width, err)) {
        return false;
    }
    const Decoding *beam = &bench->playground.beam;
    char best[REPLY_BYTES / 2] = "";
    char second[REPLY_BYTES / 2] = "";
    for (int i = 0; i < beam->n_best && i < 2; i++) {
        list_hypothesis(bench, &beam->best[i], i == 0 ? best : second, sizeof best);
    }
    reply_say(bench->reply, TEXT_BEAM_DONE, best, second);
    reply_show(bench->reply, VIEW_OF_BEAM);
    return true;
}

bool workbench_do_sampling(Workbench *bench, const Command *command, Error *err) {
    SamplingConfig sampling = bench->playground.sampling;
    double number = strtod(command->rest, NULL);
    if (command->id == COMMAND_TEMPERATURE) {
        sampling.temperature = number;
    } else if (command->id == COMMAND_TOP_P) {
        sampling.top_p = number;
    } else {
        sampling.top_k = (int)command_count(command, 0);
    }
    if (!playground_sample(&bench->playground, &sampling, err)) {
        return false;
    }
    if (playground_next_draw(&bench->playground) >= 0) {
        show_logits(bench, false); // what was chosen stays as it was
    }
    reply_show(bench->reply, VIEW_OF_NEXT_TOKEN);
    return true;
}

bool workbench_do_decode(Workbench *bench, const Command *command, Error *err) {
    if (command->id == COMMAND_BEAM) {
        long width = command_count(command, 2);
        if (width < 1 || width > 16) {
            return error_set(err, "beam: expected a width from 1 to 16");
        }
        return decode_with_beam(bench, (int)width, err);
    }
    bench->playground.training.n_wanted = 0;
    return decode_tokens(bench, command_count(command, 1), err);
}
