// plain_stop.c - a stop of the lesson as lines of text, with the commands that it runs.
#include <stdio.h>
#include <string.h>

#include "app/learn/plain.h"

bool plain_draws_tokens(CommandId id) {
    return id == COMMAND_TEMPERATURE || id == COMMAND_TOP_K || id == COMMAND_TOP_P;
}

static void train(Plain *plain) {
    Learn *learn = &plain->learn;
    Error err = {""};
    int n_done = 0;
    if (!playground_train(&learn->bench.playground, 50.0, &n_done, &err)) {
        learn->bench.playground.training.n_wanted = 0;
        reply_complain(&learn->reply, err.text);
    }
    plain->told = NULL;
    if (!training_is_running(&learn->bench.playground.training) &&
        learn->bench.playground.training.run.n_steps > 0) {
        if (!workbench_say_end(&learn->bench)) {
            workbench_say_training(&learn->bench, TEXT_TRAIN_STOPPED);
        }
    }
    plain_tell_notice(plain);
}

// The next command that the lesson runs; NULL: none is left.
static const LessonCommand *next_command(const Learn *learn) {
    const Queue *queue = &learn->player.queue;
    for (int i = queue->block; i < queue->end; i++) {
        const LessonBlock *block = &learn->player.lesson.blocks[i];
        int first = i == queue->block ? queue->command : 0;
        if (first < block->n_commands) {
            return &block->commands[first];
        }
    }
    return NULL;
}

// COMMAND_COUNT: none.
static CommandId id_of(const LessonCommand *next) {
    Command command = {COMMAND_COUNT, ""};
    char *line = next == NULL ? NULL : strdup(next->text);
    bool ok = line != NULL && command_parse(&command, line, NULL);
    free(line);
    return ok ? command.id : COMMAND_COUNT;
}

// A command makes other numbers of the same places, and tells them: those before it need not be.
static bool makes_others(CommandId id) {
    static const CommandId IDS[] = {COMMAND_OPEN,  COMMAND_INPUT,     COMMAND_SEED,
                                    COMMAND_HEADS, COMMAND_LAYERS,    COMMAND_WIDTH,
                                    COMMAND_MASK,  COMMAND_SCALE,     COMMAND_RESIDUAL,
                                    COMMAND_NORM,  COMMAND_POSITIONS, COMMAND_SMOOTHING};
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        if (IDS[i] == id) {
            return true;
        }
    }
    return false;
}

// Whether what the lesson goes on with at once does so.
static bool is_told_again(const Learn *learn) {
    const Queue *queue = &learn->player.queue;
    const LessonBlock *block =
        queue->block < queue->end ? &learn->player.lesson.blocks[queue->block] : NULL;
    for (int i = queue->command; block != NULL && i < block->n_commands; i++) {
        if (makes_others(id_of(&block->commands[i]))) {
            return true;
        }
    }
    return false;
}

// The next command of the lesson, and where it leads.
static void tell_command(Plain *plain) {
    Learn *learn = &plain->learn;
    const LessonCommand *next = next_command(learn);
    bool draws = plain_draws_tokens(id_of(next));
    bool repeats = player_repeats(&learn->player);
    if (next != NULL && !repeats) {
        file_writer_print(&plain->page.lines, ": %s\n", next->text);
    }
    learn_run_queue(learn);
    if (learn->reply.is_bad && learn->reply.text[0] != '\0') {
        error_set(&plain->fault, "%s", learn->reply.text);
    }
    if (repeats && !learn->reply.is_bad) {
        learn->reply.text[0] = '\0';
        return;
    }
    plain_tell_notice(plain);
    if (draws) {
        plain_tell_lines(plain);
    } else if (!training_is_running(&learn->bench.playground.training) && !is_told_again(learn)) {
        plain_tell_place(plain);
    }
}

// Ctrl-C: what training has learned stays; what the lesson would have gone on with rests.
static void end_work(Plain *plain) {
    Learn *learn = &plain->learn;
    (void)workbench_stop(&learn->bench);
    player_skip_commands(&learn->player);
    waiting_begin(&learn->waiting, learn->reply.language, "");
    plain_tell_notice(plain);
}

// Runs to the end what a command began: a lesson's commands, training.
void plain_finish_work(Plain *plain) {
    Learn *learn = &plain->learn;
    while (training_is_running(&learn->bench.playground.training) ||
           player_has_commands(&learn->player)) {
        if (!progress_at(&learn->waiting.progress, 0, 1, NULL)) {
            end_work(plain);
            return;
        }
        if (training_is_running(&learn->bench.playground.training)) {
            train(plain);
        } else {
            tell_command(plain);
        }
    }
}

// After the title: the goal, how long it takes, what comes before.
static void tell_about(Plain *plain, int number) {
    const Player *player = &plain->learn.player;
    char text[ABOUT_BYTES];
    about_start(text, &player->lesson, player->needs, plain->learn.reply.language);
    if (number == 0 && text[0] != '\0') {
        plain_page_text(&plain->page, "", text);
        file_writer_text(&plain->page.lines, "\n");
    }
}

static void tell_block(Plain *plain, int number) {
    static const char *const INDENTS[] = {"", "  ", "    "};
    const LessonBlock *block = &plain->learn.player.lesson.blocks[number];
    PlainPage *page = &plain->page;
    switch (block->kind) {
    case LESSON_HEADING:
        file_writer_print(&page->lines, "%s %s\n\n", block->level == 1 ? "#" : "##",
                          block->text.spoken);
        tell_about(plain, number);
        return;
    case LESSON_PROSE:
        plain_page_text(page, INDENTS[block->level > 2 ? 2 : block->level], block->text.spoken);
        break;
    case LESSON_CODE:
        plain_page_text(page, "    ", block->text.spoken);
        break;
    case LESSON_COMMANDS:
        if (number == plain->early_block) { // its model is open, and was told
            plain->learn.player.queue.block = number + 1;
            plain->learn.player.queue.command = 0;
        }
        plain->early_block = -1;
        plain_finish_work(plain);
        if (plain->learn.bench.merges.n == 0) {
            plain_tell_place(plain);
        }
        return;
    case LESSON_CLAIMS: // a check evaluates them, see learn_check.c
        return;
    case LESSON_TRY:
        plain_page_text(page, "  ", block->try->ask.spoken);
        if (plain->reads) {
            plain_page_text(page, "  ", reply_text(&plain->learn.reply, TEXT_TRY_HINT));
        }
        break;
    case LESSON_QUESTION:
        plain_tell_question(plain);
        return;
    }
    file_writer_text(&page->lines, "\n");
}

void plain_tell_try(Plain *plain) {
    if (learn_check_try(&plain->learn)) {
        const LessonTry *try = player_try(&plain->learn.player);
        const char *mark = reply_text(&plain->learn.reply, TEXT_TRY_DONE);
        char text[REPLY_BYTES];
        text_fill(text, sizeof text, mark, try->after.spoken, NULL);
        plain_page_text(&plain->page, "✓ ", text);
    }
}

void plain_tell_stop(Plain *plain) {
    learn_begin_try(&plain->learn);
    const Lesson *lesson = &plain->learn.player.lesson;
    const LessonStop *stop = &lesson->stops[plain->learn.player.stop];
    // A lesson that begins with prose opens its model before the text that it stands in.
    bool is_early =
        plain->learn.player.queue.block >= stop->end && player_has_commands(&plain->learn.player);
    for (int i = stop->first; i < stop->end; i++) {
        tell_block(plain, i);
    }
    if (is_early) {
        plain->early_block = plain->learn.player.queue.block;
    }
    plain_finish_work(plain);
    (void)learn_check_try(&plain->learn); // what the stop itself led to is not done by a person
}
