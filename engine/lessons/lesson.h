// lesson.h - a lesson as Markdown: prose, commands, and questions that are answered before the
// numbers are shown.
//
// Fenced blocks marked `attend` hold commands, one a line; those marked `question` hold a text,
// then lines "- [ ]" and "- [x]" or one line "= stage[i,j] ± tolerance", then what to say after.
// A choice may end in ":: claim", which holds for the right choices alone. Those marked `claim`
// hold what the prose of their stop asserts, one claim a line (claim.h); they are not shown. An
// indented line after a choice is what is said to who takes it. A block `about` says what the
// lesson is for, a block `try` asks for something to be done: its text, lines "> COMMAND" with one
// way to do it, a line "= CLAIM" that holds once it is done, and what to say then.
#ifndef ENGINE_LESSONS_LESSON_H
#define ENGINE_LESSONS_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/lessons/claim.h"

typedef enum LessonBlockKind {
    LESSON_HEADING,
    LESSON_PROSE, // a paragraph or an item of a list, which then begins with its mark
    LESSON_CODE,
    LESSON_COMMANDS,
    LESSON_QUESTION,
    LESSON_CLAIMS,
    LESSON_TRY,
} LessonBlockKind;

// Prose is one text; `marks` has a letter for each of its bytes: '.' plain, 's' strong, 'e'
// emphasis, '`' code, 'l' link. A link whose address begins with ':' is a key or another word that
// only the screen knows: [`n`](:next). `spoken` is the text for who has no screen: there the
// command stands, in quotes, or the link's title where it has one. A link leads to a place of a
// lesson, there and back: [the mask](lesson:8@3), [it](<lesson:13@decoder.0.self_attn.masked>).
typedef struct LessonText {
    const char *text;
    const char *marks;
    const char *spoken;
    const char *place; // where its link leads, "13@5", "13@STAGE" or a state; NULL: it has none
    int n_places;      // links that it has; a stop has at most one
} LessonText;

typedef struct LessonCommand {
    const char *text;
    int line;
} LessonCommand;

typedef struct LessonChoice {
    LessonText text;
    bool is_right;
    LessonText why;     // said to who takes it; may be empty
    const Claim *claim; // NULL: none
} LessonChoice;

typedef struct LessonQuestion {
    LessonText ask;
    LessonChoice *choices; // n_choices; none where a number is asked for
    int n_choices;
    const char *cell; // "encoder.0.self_attn.scores[0,0,2,1]"; NULL with choices
    double tolerance;
    int cell_line;
    LessonText after; // may be empty
} LessonQuestion;

typedef struct LessonTry {
    LessonText ask;
    LessonCommand *solution; // n_solution, one way to reach the goal
    int n_solution;
    Claim goal;
    LessonText after; // may be empty
} LessonTry;

enum { LESSON_MAX_NEEDS = 8 };

// What is not said is NULL or 0.
typedef struct LessonAbout {
    const char *goal;
    int minutes;
    int needs[LESSON_MAX_NEEDS]; // n_needs numbers of lessons that come before
    int n_needs;
    const char *simplifies;
    const char *recap; // in one line
} LessonAbout;

typedef struct LessonBlock {
    LessonBlockKind kind;
    int line;        // in the file, from 1
    int level;       // of a heading, from 1; of a list's item, from 1; else 0
    LessonText text; // of a heading, of prose and of code
    LessonCommand *commands;
    int n_commands;
    LessonQuestion *question;
    Claim *claims;
    int n_claims;
    LessonTry *try;
} LessonBlock;

// What a person sees at once: the commands run first, then the text is shown. A stop ends before
// the next commands, before a heading, and after a question.
typedef struct LessonStop {
    int first, end; // blocks
} LessonStop;

typedef struct Lesson {
    Arena arena;
    const char *path;
    const char *title; // of the first heading
    LessonAbout about;
    int number; // the file's name begins with it; 0 where it does not
    LessonBlock *blocks;
    int n_blocks;
    LessonStop *stops;
    int n_stops;
} Lesson;

// A fault is told with file, line and what was expected. lesson is left as after lesson_free then.
bool lesson_load(Lesson *lesson, const char *path, Error *err);

// The same from text that is already there; path is for sentences.
bool lesson_parse(Lesson *lesson, const char *path, const char *text, size_t length, Error *err);
void lesson_free(Lesson *lesson);

#endif
