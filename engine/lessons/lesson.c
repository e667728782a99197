// lesson.c - a lesson as Markdown: blocks in order, and the stops at which a person is waited for.
#include "engine/lessons/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/lessons/lesson_private.h"

enum { MAX_LESSON_BYTES = 1 << 20 };

static LessonBlock *append_block(Lesson *lesson, LessonBlockKind kind, int line) {
    // Sizes 0, 16, 32, 64 ...: grow where the count is one of them.
    int n = lesson->n_blocks;
    if (n == 0 || (n >= 16 && (n & (n - 1)) == 0)) {
        size_t capacity = n == 0 ? 16 : 2 * (size_t)n;
        LessonBlock *blocks = arena_allocate(&lesson->arena, capacity * sizeof *blocks);
        if (n > 0) {
            memcpy(blocks, lesson->blocks, (size_t)n * sizeof *blocks);
        }
        lesson->blocks = blocks;
    }
    LessonBlock *block = &lesson->blocks[lesson->n_blocks++];
    *block = (LessonBlock){.kind = kind, .line = line};
    return block;
}

static void append_prose(Lesson *lesson, cmark_node *node, const char *mark, int level) {
    LessonBlock *block = append_block(lesson, LESSON_PROSE, cmark_node_get_start_line(node));
    LessonWriter writer = {.arena = &lesson->arena};
    lesson_write(&writer, mark, strlen(mark), '.');
    lesson_write_inlines(&writer, node);
    block->text = lesson_written(&writer);
    block->level = level;
}

static void append_heading(Lesson *lesson, cmark_node *node) {
    LessonBlock *block = append_block(lesson, LESSON_HEADING, cmark_node_get_start_line(node));
    LessonWriter writer = {.arena = &lesson->arena};
    lesson_write_inlines(&writer, node);
    block->text = lesson_written(&writer);
    block->level = cmark_node_get_heading_level(node);
    if (lesson->title == NULL) {
        lesson->title = block->text.text;
    }
}

// How many lines a fence has at most.
static size_t count_lines(const char *body) {
    size_t n = 1;
    for (const char *at = body; *at != '\0'; at++) {
        n += *at == '\n';
    }
    return n;
}

static void append_commands(Lesson *lesson, int line, const char *body) {
    LessonBlock *block = append_block(lesson, LESSON_COMMANDS, line);
    block->commands = arena_allocate(&lesson->arena, count_lines(body) * sizeof *block->commands);
    LessonLine at;
    for (int number = line + 1; lesson_next_line(&lesson->arena, &body, &number, &at);) {
        block->commands[block->n_commands++] = (LessonCommand){at.text, at.number};
    }
}

static bool append_claims(Lesson *lesson, int line, const char *body, Error *err) {
    LessonBlock *block = append_block(lesson, LESSON_CLAIMS, line);
    block->claims = arena_allocate(&lesson->arena, count_lines(body) * sizeof *block->claims);
    LessonLine at;
    for (int number = line + 1; lesson_next_line(&lesson->arena, &body, &number, &at);) {
        if (!claim_parse(&block->claims[block->n_claims++], &lesson->arena, lesson->path, at.number,
                         at.text, err)) {
            return false;
        }
    }
    return true;
}

static bool append_fence(Lesson *lesson, cmark_node *node, Error *err) {
    const char *info = cmark_node_get_fence_info(node);
    const char *body = cmark_node_get_literal(node);
    int line = cmark_node_get_start_line(node);
    if (info != NULL && strcmp(info, "attend") == 0) {
        append_commands(lesson, line, body);
        return true;
    }
    if (info != NULL && strcmp(info, "about") == 0) {
        return lesson_read_about(&lesson->about, &lesson->arena, lesson->path, line + 1, body, err);
    }
    if (info != NULL && strcmp(info, "try") == 0) {
        LessonBlock *block = append_block(lesson, LESSON_TRY, line);
        block->try = arena_allocate(&lesson->arena, sizeof *block->try);
        return lesson_read_try(block->try, &lesson->arena, lesson->path, line + 1, body, err);
    }
    if (info != NULL && strcmp(info, "claim") == 0) {
        return append_claims(lesson, line, body, err);
    }
    if (info != NULL && strcmp(info, "question") == 0) {
        LessonBlock *block = append_block(lesson, LESSON_QUESTION, line);
        LessonQuestion *question = arena_allocate(&lesson->arena, sizeof *question);
        block->question = question;
        return lesson_read_question(question, &lesson->arena, lesson->path, line + 1, body, err);
    }
    LessonWriter writer = {.arena = &lesson->arena};
    lesson_write(&writer, body, strlen(body), '`');
    append_block(lesson, LESSON_CODE, line)->text = lesson_written(&writer);
    return true;
}

static void append_list(Lesson *lesson, cmark_node *list) {
    int number = cmark_node_get_list_start(list);
    bool is_ordered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
    for (cmark_node *item = cmark_node_first_child(list); item != NULL;
         item = cmark_node_next(item)) {
        char mark[24] = "• ";
        if (is_ordered) {
            snprintf(mark, sizeof mark, "%d. ", number++);
        }
        for (cmark_node *node = cmark_node_first_child(item); node != NULL;
             node = cmark_node_next(node)) {
            bool is_first = node == cmark_node_first_child(item);
            if (cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH) {
                append_prose(lesson, node, is_first ? mark : "", 1);
            }
        }
    }
}

static bool append_node(Lesson *lesson, cmark_node *node, Error *err) {
    switch ((int)cmark_node_get_type(node)) {
    case CMARK_NODE_HEADING:
        append_heading(lesson, node);
        return true;
    case CMARK_NODE_PARAGRAPH:
        append_prose(lesson, node, "", 0);
        return true;
    case CMARK_NODE_LIST:
        append_list(lesson, node);
        return true;
    case CMARK_NODE_CODE_BLOCK:
        return append_fence(lesson, node, err);
    case CMARK_NODE_BLOCK_QUOTE:
        for (cmark_node *child = cmark_node_first_child(node); child != NULL;
             child = cmark_node_next(child)) {
            append_prose(lesson, child, "", 1);
        }
        return true;
    default:
        return true; // comments and rules are for readers of the file
    }
}

static bool starts_stop(const Lesson *lesson, const LessonStop *stop, int block) {
    LessonBlockKind kind = lesson->blocks[block].kind;
    bool has_text = false;
    if (kind == LESSON_CLAIMS) {
        return false; // of the stop that it follows
    }
    for (int i = stop->first; i < block; i++) {
        LessonBlockKind before = lesson->blocks[i].kind;
        if (before == LESSON_QUESTION) {
            return true;
        }
        has_text = has_text || (before != LESSON_COMMANDS && before != LESSON_HEADING &&
                                before != LESSON_CLAIMS);
    }
    return has_text && (kind == LESSON_COMMANDS || kind == LESSON_HEADING);
}

static void find_stops(Lesson *lesson) {
    lesson->stops =
        arena_allocate(&lesson->arena, ((size_t)lesson->n_blocks + 1) * sizeof *lesson->stops);
    LessonStop *stop = lesson->stops;
    *stop = (LessonStop){0, 0};
    for (int i = 0; i < lesson->n_blocks; i++) {
        if (i > stop->first && starts_stop(lesson, stop, i)) {
            stop++;
            *stop = (LessonStop){i, i};
        }
        stop->end = i + 1;
    }
    lesson->n_stops = (int)(stop - lesson->stops) + 1;
}

static int places_of_question(const LessonQuestion *question) {
    int n = question->ask.n_places + question->after.n_places;
    for (int i = 0; i < question->n_choices; i++) {
        n += question->choices[i].text.n_places + question->choices[i].why.n_places;
    }
    return n;
}

static int places_of(const LessonBlock *block) {
    if (block->kind == LESSON_QUESTION) {
        return places_of_question(block->question);
    }
    return block->kind == LESSON_TRY ? block->try->ask.n_places + block->try->after.n_places
                                     : block->text.n_places;
}

// A key follows the link of a stop: there may be only one.
static bool check_links(const Lesson *lesson, Error *err) {
    for (const LessonStop *stop = lesson->stops; stop < lesson->stops + lesson->n_stops; stop++) {
        int n_places = 0;
        for (int i = stop->first; i < stop->end; i++) {
            n_places += places_of(&lesson->blocks[i]);
            if (n_places > 1) {
                return error_set(err,
                                 "%s:%d: expected one link to a place of a lesson in what is shown "
                                 "at once, found %d",
                                 lesson->path, lesson->blocks[i].line, n_places);
            }
        }
    }
    return true;
}

static int number_of(const char *path) {
    const char *slash = strrchr(path, '/');
    long number = strtol(slash == NULL ? path : slash + 1, NULL, 10);
    return number > 0 && number < 1000 ? (int)number : 0;
}

bool lesson_parse(Lesson *lesson, const char *path, const char *text, size_t length, Error *err) {
    *lesson = (Lesson){.number = number_of(path)};
    lesson->path = arena_text(&lesson->arena, path);
    cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_VALIDATE_UTF8);
    bool ok = true;
    for (cmark_node *node = cmark_node_first_child(document); ok && node != NULL;
         node = cmark_node_next(node)) {
        ok = append_node(lesson, node, err);
    }
    cmark_node_free(document);
    if (ok && lesson->title == NULL) {
        ok = error_set(err, "%s:1: expected a heading, \"# Title\", found none", path);
    }
    if (ok) {
        find_stops(lesson);
        ok = check_links(lesson, err);
    }
    if (!ok) {
        lesson_free(lesson);
    }
    return ok;
}

bool lesson_load(Lesson *lesson, const char *path, Error *err) {
    FileBytes file = {0};
    if (!file_read(&file, path, MAX_LESSON_BYTES, err)) {
        return false;
    }
    bool ok = lesson_parse(lesson, path, (const char *)file.bytes, file.size_bytes, err);
    file_close(&file);
    return ok;
}

void lesson_free(Lesson *lesson) {
    arena_free(&lesson->arena);
    *lesson = (Lesson){0};
}
