// workbench_step.c - a text cut into tokens merge by merge, and the steps of the tape.
#include <stdio.h>
#include <string.h>

#include "app/learn/workbench.h"

bool workbench_do_tokens(Workbench *bench, const Command *command, Error *err) {
    const NamedModel *named = &bench->playground.opened->named;
    if (named->tokenizer.n_pieces == 0) {
        return reply_fail(bench->reply, err, TEXT_NO_TOKENIZER, named->name, NULL);
    }
    if (command->rest[0] == '\0') {
        reply_ask(bench->reply, "tokens ");
        return true;
    }
    // A lesson writes the text in quotes.
    const char *start = command->rest;
    size_t length = strlen(start);
    if (length > MERGES_TEXT_BYTES) { // each merge keeps a row of pieces
        return error_set(err, "tokens: expected a text of at most %d bytes, found %zu",
                         MERGES_TEXT_BYTES, length);
    }
    if (length >= 2 && start[0] == '"' && start[length - 1] == '"') {
        start++;
        length -= 2;
    }
    if (!merges_cut(&bench->merges, &named->tokenizer, start, length, err)) {
        return false;
    }
    reply_show(bench->reply, VIEW_OF_MERGES);
    return true;
}

// A text that is cut goes one merge on or back; false where none is left in that direction.
static bool step_merges(Workbench *bench, int direction) {
    Merges *merges = &bench->merges;
    if (merges->n == 0 || !merges_step(merges, direction)) {
        return false;
    }
    if (merges->n_shown == merges->n) {
        char count[16];
        snprintf(count, sizeof count, "%d", merges->steps[merges->n - 1].n_pieces);
        reply_say(bench->reply, TEXT_TOKENS_DONE, count, NULL);
    }
    return true;
}

bool workbench_do_step(Workbench *bench, const Command *command, Error *err) {
    bool is_back = command->id == COMMAND_BACK;
    bool is_one = command->id == COMMAND_NEXT || is_back;
    if (is_one && step_merges(bench, is_back ? -1 : 1)) {
        return true;
    }
    merges_forget(&bench->merges);
    return cursor_do_step(&bench->cursor, command, err);
}

bool workbench_do_go(Workbench *bench, const Command *command, Error *err) {
    merges_forget(&bench->merges);
    return cursor_do_go(&bench->cursor, command, err);
}
