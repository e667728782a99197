// learn_check.c - plays a lesson without a screen and evaluates what its prose asserts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/learn.h"

typedef struct Checker {
    Learn learn;
    Arena arena;
    FileWriter out;
    int n_claims, n_false;
} Checker;

// ---- claims

static void complain(Checker *checker, int line, const char *what, const char *why) {
    checker->n_false++;
    file_writer_print(&checker->out, "%s:%d: %s: %s\n", checker->learn.player.lesson.path, line,
                      what, why);
}

// Says what is wrong where the claim does not hold, or holds though it should not.
static void check_claim(Checker *checker, const Claim *claim, bool should_hold) {
    const ClaimWorld world = learn_claim_world(&checker->learn);
    Error err = {""};
    bool holds = false;
    const char *found = NULL;
    checker->n_claims++;
    if (!claim_check(claim, &world, &checker->arena, &holds, &found, &err)) {
        complain(checker, claim->line, claim->text, err.text);
    } else if (holds != should_hold) {
        complain(checker, claim->line, claim->text,
                 holds ? "it holds, though the choice is marked as wrong" : found);
    }
}

static void check_number(Checker *checker, const LessonQuestion *question) {
    const Node *node = NULL;
    size_t element = 0;
    Error err = {""};
    checker->n_claims++;
    if (checker->learn.bench.playground.opened == NULL ||
        !cursor_find_cell(&checker->learn.bench.cursor, question->cell, &node, &element, &err)) {
        complain(checker, question->cell_line, question->cell,
                 error_is_set(&err) ? err.text : "no model is open");
    }
}

static void check_question(Checker *checker, const LessonQuestion *question) {
    if (question->cell != NULL) {
        check_number(checker, question);
    }
    for (int i = 0; i < question->n_choices; i++) {
        if (question->choices[i].claim != NULL) {
            check_claim(checker, question->choices[i].claim, question->choices[i].is_right);
        }
    }
}

// ---- playing

// Runs to its end what a command began.
static void finish(Checker *checker) {
    Learn *learn = &checker->learn;
    while (player_has_commands(&learn->player) ||
           training_is_running(&learn->bench.playground.training)) {
        learn->pause_ms = 0.0;
        learn_work(learn, 50.0);
    }
    if (learn->reply.is_bad) {
        complain(checker, 1, "a command fails", learn->reply.text);
        learn->reply.is_bad = false;
    }
}

// The goal does not hold before, and holds after the commands that the block gives.
static void check_try(Checker *checker, const LessonTry *try) {
    const ClaimWorld world = learn_claim_world(&checker->learn);
    bool holds = false;
    const char *found = NULL;
    if (claim_check(&try->goal, &world, &checker->arena, &holds, &found, NULL) && holds) {
        complain(checker, try->goal.line, try->goal.text, "it holds before anything was tried");
    }
    for (int i = 0; i < try->n_solution; i++) {
        checker->learn.bench.is_scripted = true;
        learn_execute_line(&checker->learn, try->solution[i].text);
        checker->learn.bench.is_scripted = false;
        finish(checker);
    }
    check_claim(checker, &try->goal, true);
}

static void check_block(Checker *checker, const LessonBlock *block) {
    for (int i = 0; i < block->n_claims; i++) {
        check_claim(checker, &block->claims[i], true);
    }
    if (block->kind == LESSON_QUESTION) {
        check_question(checker, block->question);
    }
    if (block->kind == LESSON_TRY) {
        check_try(checker, block->try);
    }
}

static void check_stop(Checker *checker) {
    const Lesson *lesson = &checker->learn.player.lesson;
    const LessonStop *stop = &lesson->stops[checker->learn.player.stop];
    (void)learn_claim_world(&checker->learn);
    playground_claims_keep(&checker->learn.claims.numbers);
    finish(checker);
    for (int i = stop->first; i < stop->end; i++) {
        check_block(checker, &lesson->blocks[i]);
    }
}

static void play(Checker *checker) {
    Learn *learn = &checker->learn;
    check_stop(checker);
    while (learn->player.stop + 1 < learn->player.lesson.n_stops) {
        player_go(&learn->player, learn->player.stop + 1);
        check_stop(checker);
    }
    file_writer_print(&checker->out, "%s: %d of %d claims hold\n", learn->player.lesson.path,
                      checker->n_claims - checker->n_false, checker->n_claims);
}

static bool run(Checker *checker, const LearnOptions *options, Error *err) {
    Learn *learn = &checker->learn;
    if (!learn_init(learn, options, err) || !file_writer_open(&checker->out, "-", err)) {
        return false;
    }
    if (!learn->player.has_lesson) {
        return error_set(err, "--check: expected a lesson");
    }
    play(checker);
    return file_writer_commit(&checker->out, err) &&
           (checker->n_false == 0 || error_set(err, "%s: %d claims do not hold",
                                               learn->player.lesson.path, checker->n_false));
}

int learn_check(const LearnOptions *options, Error *err) {
    Checker *checker = calloc(1, sizeof *checker);
    if (checker == NULL) {
        error_set(err, "out of memory");
        return 1;
    }
    bool ok = run(checker, options, err);
    file_writer_abandon(&checker->out);
    arena_free(&checker->arena);
    learn_free(&checker->learn);
    free(checker);
    return ok ? 0 : 1;
}
