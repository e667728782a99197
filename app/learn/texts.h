// texts.h - what the screen says, in each language; no sentence of the screen stands elsewhere.
#ifndef APP_LEARN_TEXTS_H
#define APP_LEARN_TEXTS_H

#include <stddef.h>

#include "app/learn/command.h"
#include "views/sentences.h"

// {a} and {b} stand for what text_fill puts there.
#define TEXT_LIST(X)                                                                               \
    X(STEP_OF) /* a: step, b: of how many */                                                       \
    X(FORWARD) /* the phases */                                                                    \
    X(LOSS)                                                                                        \
    X(BACKWARD)                                                                                    \
    X(UPDATE)                                                                                      \
    X(SEED)                                                                                        \
    X(TRAINED_STEPS) /* a: updates done */                                                         \
    X(EDITED)        /* a: changes */                                                              \
    X(TAPE)          /* titles of panes */                                                         \
    X(LESSON)                                                                                      \
    X(HELP_TITLE)                                                                                  \
    X(CHANGE_TITLE)                                                                                \
    X(MENU_TITLE)                                                                                  \
    X(ITEM)                                                                                        \
    X(HEAD)                                                                                        \
    X(TOO_SMALL) /* a: needed, b: found */                                                         \
    X(NOTHING_OPEN)                                                                                \
    X(AT_END)                                                                                      \
    X(AT_START)                                                                                    \
    X(NO_STAGE)   /* a: what was asked for */                                                      \
    X(NO_CELL)    /* a */                                                                          \
    X(NOT_FOUND)  /* a */                                                                          \
    X(VIEW_LATER) /* a: a view, b: what it needs */                                                \
    X(NO_VIEW)    /* a, b: those there are */                                                      \
    X(NO_LAYER)                                                                                    \
    X(GIVEN)   /* nothing to follow */                                                             \
    X(NO_FOLD) /* in the list of steps */                                                          \
    X(NO_RETURN)                                                                                   \
    X(COPIED)          /* a: cell */                                                               \
    X(EXPORTED)        /* a: file */                                                               \
    X(EXPORTED_MATRIX) /* a: file, b: stage */                                                     \
    X(STATE_IS)        /* a: the state string */                                                   \
    X(POINT_MOVED)     /* a: from where, b: to where */                                            \
    X(POINT_ADDED)     /* a: class, b: where */                                                    \
    X(POINT_REMOVED)   /* a: class, b: where */                                                    \
    X(NUMBER_SET)      /* a: cell, b: value */                                                     \
    X(BEYOND_FLOAT)    /* a: a number */                                                           \
    X(UNDONE)          /* a: the command */                                                        \
    X(REDONE)          /* a: the same */                                                           \
    X(NOTHING_UNDO)                                                                                \
    X(NOTHING_REDO)                                                                                \
    X(RESET_DONE)                                                                                  \
    X(RESET_FOR_GOOD) /* where nothing could be kept */                                            \
    X(CANNOT_KEEP)    /* a: the command */                                                         \
    X(SWITCHED_ON)    /* a: what */                                                                \
    X(SWITCHED_OFF)                                                                                \
    X(REDRAWN) /* a: parameters drawn anew, b: kept */                                             \
    X(SET_TO)  /* a: what, b: value */                                                             \
    X(MASK)    /* what can be switched */                                                          \
    X(SCALE)                                                                                       \
    X(RESIDUAL)                                                                                    \
    X(POSITIONS)                                                                                   \
    X(SMOOTHING)                                                                                   \
    X(NORM)                                                                                        \
    X(HEADS)                                                                                       \
    X(LAYERS)                                                                                      \
    X(WIDTH)                                                                                       \
    X(ON)                                                                                          \
    X(OFF)                                                                                         \
    X(CHANGE_HINT)                                                                                 \
    X(TRAINING)    /* a: steps, b: loss */                                                         \
    X(MODEL_IS)    /* a: its name, b: its family */                                                \
    X(MODEL_COUNT) /* a: parameters */                                                             \
    X(VOCABULARY)  /* sizes of a model, as HEADS, LAYERS, WIDTH */                                 \
    X(HIDDEN)                                                                                      \
    X(LENGTH)                                                                                      \
    X(MODEL_TRAINED)  /* a: file or folder */                                                      \
    X(MODEL_DRAWN)    /* a: seed */                                                                \
    X(MODEL_SINCE)    /* a: steps of training */                                                   \
    X(MODEL_NOTE)     /* a: a sentence on the files of the model */                                \
    X(TRAIN_STOPPED)  /* a: steps, b: loss */                                                      \
    X(TRAIN_LEARNED)  /* the same */                                                               \
    X(TRAIN_FLAT)     /* the same */                                                               \
    X(TRAINING_KEYS)  /* what goes with training while it runs */                                  \
    X(PACE)           /* a: how many times as fast as at first */                                  \
    X(PACE_END)       /* the same: no faster, no slower */                                         \
    X(SCRUBBED)       /* a: step */                                                                \
    X(SCRUB_KEPT)     /* a: steps */                                                               \
    X(SCRUB_NOT_KEPT) /* a: steps, b: the one that was asked for */                                \
    X(NO_SNAPSHOT)                                                                                 \
    X(COMPARING)                                                                                   \
    X(NOTHING_COMPARE)                                                                             \
    X(DECODED)    /* a: token, b: all so far */                                                    \
    X(DECODE_END) /* a: all */                                                                     \
    X(DECODE_BACK)                                                                                 \
    X(BEAM_DONE) /* a: best, b: second */                                                          \
    X(BEAM_TWO_SIDES)                                                                              \
    X(LENGTHS_DONE)   /* a: the model, b: percentages from the shortest sentences on */            \
    X(LENGTHS_STEPS)  /* a: the model, b: how many steps it was trained */                         \
    X(DISTANCES_DONE) /* a: the largest difference */                                              \
    X(SIZE_DONE)      /* a: the model, b: its parameters */                                        \
    X(NO_TOKENIZER)   /* a: model */                                                               \
    X(TOKENS_DONE)    /* a: how many */                                                            \
    X(RIGHT)                                                                                       \
    X(WRONG) /* a: what was right */                                                               \
    X(CHOOSE)                                                                                      \
    X(TYPE_NUMBER)                                                                                 \
    X(NOT_A_NUMBER) /* a */                                                                        \
    X(LINE_FULL)    /* a: bytes */                                                                 \
    X(PASTE_WHERE)                                                                                 \
    X(TRY_DONE) /* a: what the lesson says then */                                                 \
    X(TRY_HINT) /* what leads to HINT_IS */                                                        \
    X(HINT_IS)  /* a: commands */                                                                  \
    X(NO_TRY)                                                                                      \
    X(PUT_ASIDE)                                                                                   \
    X(JUMPED)                                                                                      \
    X(JUMPED_BACK)                                                                                 \
    X(NO_LINK)                                                                                     \
    X(NO_WAY_BACK)                                                                                 \
    X(TOO_MANY_LINKS)                                                                              \
    X(GO_ON)                                                                                       \
    X(LESSON_END)                                                                                  \
    X(ABOUT_GOAL) /* a: what a lesson says of itself */                                            \
    X(ABOUT_MINUTES)                                                                               \
    X(ABOUT_NEED)                                                                                  \
    X(ABOUT_NEEDS)                                                                                 \
    X(ABOUT_RECAP)                                                                                 \
    X(ABOUT_SIMPLIFIES)                                                                            \
    X(LIST_MINUTES) /* a: in the list of lessons */                                                \
    X(LIST_NEEDS)   /* a */                                                                        \
    X(RESUME_OFFER) /* a: stop, b: of how many */                                                  \
    X(LANGUAGE_SET)                                                                                \
    X(NO_TRANSLATION)                                                                              \
    X(THEME_SET) /* a */                                                                           \
    X(HEAT_LINEAR)                                                                                 \
    X(HEAT_ROW)                                                                                    \
    X(SEARCH_HINT)                                                                                 \
    X(HELP_HINT)                                                                                   \
    X(AUTOPLAY_PAUSED)                                                                             \
    X(NEXT_LESSON)                                                                                 \
    X(COUNTING)       /* a: the number typed before a key */                                       \
    X(TAKES_NO_COUNT) /* a: the command */                                                         \
    X(UNKNOWN_KEY)    /* a: the key */                                                             \
    X(IN_LINE)        /* where keys of the line stand in the help; LINE_*: what they do */         \
    X(LINE_RUN)                                                                                    \
    X(LINE_CLOSE)                                                                                  \
    X(LINE_COMPLETE)                                                                               \
    X(LINE_EARLIER)                                                                                \
    X(LINE_LATER)                                                                                  \
    X(LINE_START)                                                                                  \
    X(LINE_END)                                                                                    \
    X(LINE_BACK)                                                                                   \
    X(LINE_FORWARD)                                                                                \
    X(LINE_WORD_BACK)                                                                              \
    X(LINE_WORD_FORWARD)                                                                           \
    X(LINE_ERASE_BACK)                                                                             \
    X(LINE_ERASE)                                                                                  \
    X(LINE_ERASE_WORD_BACK)                                                                        \
    X(LINE_ERASE_WORD)                                                                             \
    X(LINE_ERASE_TO_START)                                                                         \
    X(LINE_ERASE_TO_END)                                                                           \
    X(LINE_YANK)                                                                                   \
    X(HELP_NONE) /* a: what was sought */                                                          \
    X(MENU_HINT)                                                                                   \
    X(MENU_NONE)      /* a: what was sought */                                                     \
    X(MENU_MISSING)   /* a: numbers */                                                             \
    X(MENU_OPENS)     /* a: a number */                                                            \
    X(MENU_DIGIT)     /* a: a digit that a number begins with */                                   \
    X(MENU_NO_NUMBER) /* a: a number */                                                            \
    X(MORE_LINES)     /* of a pane; a: how many, b: the key that shows them */                     \
    X(MORE_LINE)      /* b: the key */                                                             \
    X(IN_PARTS)       /* b: the key */                                                             \
    X(NOT_RUN_YET)    /* the gradient beside a stage */                                            \
    X(EFFECT_LOSS)    /* of a change; a: before it, b: after it */                                 \
    X(EFFECT_NUMBER)  /* the same of the number that is looked at */                               \
    X(WORKING)                                                                                     \
    X(BUSY)       /* a: the command, b: how much of it is done */                                  \
    X(ENDED)      /* a: the command */                                                             \
    X(PLAIN_HELP) /* of --plain */                                                                 \
    X(PLAIN_BYE)                                                                                   \
    X(PLAIN_SCREEN) /* a: the command */                                                           \
    X(PLAIN_MORE)   /* a: the line so far */                                                       \
    X(PLAIN_MANY)   /* of the numbers of a stage */                                                \
    X(PLAIN_OTHERS) /* the same */                                                                 \
    X(PLAIN_COPY)                                                                                  \
    X(PLAIN_SAME)                                                                                  \
    X(PLAIN_NO_QUESTION)                                                                           \
    X(PLAIN_NO_RESUME)                                                                             \
    X(PLAIN_VIEW)    /* a: its name */                                                             \
    X(PLAIN_PICTURE) /* a */

typedef enum TextId {
#define X(id) TEXT_##id,
    TEXT_LIST(X)
#undef X
        TEXT_COUNT,
} TextId;

typedef struct Texts {
    const char *texts[TEXT_COUNT];
    const char *spoken[TEXT_COUNT]; // with --plain, where the text names a key; NULL: the same
} Texts;

extern const Texts texts_en;
extern const Texts texts_zh;

const char *text_of(Language language, TextId id);
const char *text_spoken(Language language, TextId id); // for who has no screen and no keys
const char *text_help(Language language, CommandId id);
const char *text_hint(Language language, CommandId id); // NULL: none

// Puts a and b (may be NULL) where {a} and {b} stand; malloc, NULL without memory.
char *text_filled(const char *text, const char *a, const char *b);

// The same, cut after a whole character where out is too small. Returns out.
const char *text_fill(char *out, size_t size, const char *text, const char *a, const char *b);

#endif
