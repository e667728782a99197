// view.h - one picture of what is looked at: a view prepares (reads), then draws (pure) on a
// canvas.
//
// A frame: fill a ViewState, view_prepare(view, &state, &workspace), view_draw(view, &state,
// &canvas). Preparing twice or drawing twice gives the same; drawing allocates nothing.
#ifndef VIEWS_SCREEN_VIEW_H
#define VIEWS_SCREEN_VIEW_H

#include "engine/generation/decode.h"
#include "engine/generation/sampling.h"
#include "engine/playground/distances.h"
#include "engine/playground/lengths.h"
#include "engine/playground/size_plan.h"
#include "engine/tape/explain.h"
#include "engine/models/model.h"
#include "engine/tape/stepper.h"
#include "views/canvas.h"
#include "views/sentences.h"
#include "views/tensor_text.h"

// What was measured at each step of a run of training.
typedef struct ViewRun {
    const float *losses; // n_steps, or n_kept
    const float *norms;  // of the gradients
    int n_steps;
    const int *steps; // to which the n_kept values belong, from 1, the newest last; NULL: to all
    int n_kept;
} ViewRun;

typedef struct ViewTraining {
    ViewRun run;
    ViewRun other;  // to compare with; n_steps 0: none
    int shown_step; // whose weights are in the model
    bool is_running;
    double tokens_per_second;
    float lr;           // of the newest step
    const float *rates; // the learning rate at each step of run; NULL: lr at all of them
} ViewTraining;

// One merge while a text is put together: the row of pieces before it, and which two join.
typedef struct ViewMerge {
    const char *text; // the whole (normalized) text, not ended by NUL
    int text_length;  // in bytes
    int n_pieces;
    const int *starts; // n_pieces, where each piece begins
    int left;          // pieces left and left + 1 become one
    int rank;          // of this merge among all; -1: the row after the last merge
} ViewMerge;

// What a classifier of points says of the whole plane.
typedef struct ViewPlane {
    const float *values; // side x side decision values, the row of the smallest x2 first
    int side;            // of the grid of places
} ViewPlane;

// A line of help.
typedef struct ViewKey {
    const char *keys; // as they are read; "" where no key presses it
    const char *name; // of the command
    const char *help;
} ViewKey;

// What there is to see. All pointers are borrowed, and NULL where there is none.
typedef struct ViewWorkspace ViewWorkspace;
typedef struct ViewState {
    const Tape *tape;
    const ModelNodes *nodes;
    const Stepper *stepper;
    const Node *node; // that is looked at; its numbers are those of this run
    size_t element;   // the cursor, an element of node: it also says item, head, row and column
    const Explanation *explanation; // of that element
    const float *before;            // the numbers of node before the last change; NULL: none
    TensorLabels labels;            // the words of ids; token is never called where it is NULL
    const ViewTraining *training;
    const Decoding *decoding;       // a beam, to be drawn as a tree
    ViewPlane plane;                // of a model of points; no values: it is none
    const LengthCurves *lengths;    // that were measured; NULL: none
    const Distances *distances;     // that were timed; NULL: none
    const SizePlan *size;           // of a model that was counted; NULL: none
    const SamplingConfig *sampling; // how tokens are drawn; NULL: greedy
    const SamplingDraw *draws;      // of the tokens that were decoded, the newest; NULL: none
    int32_t left_out;               // a token that is never chosen: padding; -1: none
    int next_draw;           // the number of the one after the last row; -1: nothing is decoded
    const ViewMerge *merges; // n_merges are shown of n_all_merges; the last of all is the row after
    int n_merges, n_all_merges; // all merges
    const ViewKey *keys;        // n_keys, for the help
    int n_keys;
    int n_tapes;     // another one, and what pointed into the tape before is gone
    HeatScale scale; // of the colours behind numbers
    Language language;
    bool is_beside;                 // another view shows the explanation
    int scroll;                     // lines back from the newest, of a view that is a list
    int n_changes;                  // of numbers: another one, and what was prepared is not of them
    double budget_ms;               // for preparing in one go; 0: all is prepared at once
    const ViewWorkspace *workspace; // set by view_prepare; without it nothing is lit
    const void *own;                // what the view prepared for itself; set by view_prepare
} ViewState;

// What a view shows, for those who have made something new of that kind.
typedef enum ViewSubject {
    VIEW_OF_NODE,
    VIEW_OF_NEXT_TOKEN,
    VIEW_OF_BEAM,
    VIEW_OF_LENGTHS,
    VIEW_OF_SIZE,
    VIEW_OF_DISTANCES,
    VIEW_OF_MERGES,
    VIEW_OF_ARITHMETIC,
    VIEW_OF_MAP,
    VIEW_OF_STEPS,
    VIEW_OF_OPERANDS
} ViewSubject;

// The numbers that a view shows, as a node and the part of it: what is exported as a table.
typedef struct ViewNumbers {
    const Node *node;
    int item, head; // VIEW_ALL: all of them, or the node has no such axis
} ViewNumbers;

enum { VIEW_ALL = -1 };

// What is left of a view without a screen.
typedef enum ViewSpoken {
    VIEW_SPOKEN_PICTURE,  // nothing
    VIEW_SPOKEN_NUMBERS,  // the numbers that it shows: view_numbers says which
    VIEW_SPOKEN_CELL,     // the number under the cursor
    VIEW_SPOKEN_OPERANDS, // the operands of what is looked at, one after the other, and its numbers
    VIEW_SPOKEN_LINES,    // what it draws, line by line
} ViewSpoken;

typedef struct View {
    const char *name; // in commands and in the pane's title
    const char *titles[LANGUAGE_COUNT];
    const char *needs[LANGUAGE_COUNT]; // what it shows: without that it does not fit
    int min_width, min_height;         // below this view_draw says what is needed
    // True where the view has something to show of this state.
    bool (*fits)(const ViewState *state);
    // What the view keeps from frame to frame, handed to it as state->own: opened before it is
    // first prepared (NULL without memory), closed with the workspace. NULL: it keeps nothing.
    void *(*open)(void);
    void (*close)(void *own);
    // Reads the state into what was opened, which is not NULL. Gives how much of it is left, 0 to
    // 1: what takes longer than state->budget_ms goes on when it is called again. NULL: the view
    // draws straight from the state.
    double (*prepare)(void *own, const ViewState *state);
    void (*draw)(const ViewState *state, Canvas *canvas);
    // What stands at a place of the canvas: a node and, where it is a cell, its element (else 0).
    // False where there is nothing. NULL: nothing can be clicked.
    bool (*hit)(const ViewState *state, int width, int height, int x, int y, const Node **node,
                size_t *element);
    // The size at which everything shows, for an export. NULL: 100 x 30.
    void (*measure)(const ViewState *state, int *width, int *height);
    // NULL: the node that is looked at, of its item and head.
    ViewNumbers (*numbers)(const ViewState *state);
    // One level further in or out, around the node that is looked at: what was opened keeps it.
    // False where nothing changes. NULL: the view has no inside.
    bool (*turn)(void *own, const ViewState *state, bool is_in);
    // How far back state->scroll leads at that size. NULL: the view does not scroll.
    int (*back)(const ViewState *state, int width, int height);
    ViewSubject subject;
    ViewSpoken spoken;
    bool is_whole;    // of the model or the run: no cell is seen in it
    bool is_drawing;  // its picture says more than a matrix: an .svg is of the picture
    bool leaves_room; // often: what belongs to the node may show beside it
    bool is_passing;  // not of a node: who moves on to another has seen it
} View;

// The views in the order in which `v` goes round; ended by NULL.
extern const View *const VIEWS[];

// By its name; NULL where there is none.
const View *view_find(const char *name);

// The first that shows such a thing.
const View *view_find_subject(ViewSubject subject);

// ---- what is prepared, kept by the caller from frame to frame

enum { VIEW_SOURCES = 4096, VIEW_MOST = 24 };

// A zeroed one is ready; view_workspace_free gives it back.
struct ViewWorkspace {
    ExplainCell *sources; // the cells that the cursor's cell comes from, by node and element
    int n_sources;        // at most VIEW_SOURCES
    int n_all_sources;    // how many there are
    void *own[VIEW_MOST]; // of each of VIEWS that was prepared and keeps something
    double left;          // to be prepared for the view that was prepared last, 0 to 1
    bool is_stopped;      // and it is left so
};

void view_workspace_free(ViewWorkspace *workspace);

// Reads what the view needs and puts the workspace into the state. Without memory less is lit.
// Where workspace->left is above 0, the same again goes on with it.
void view_prepare(const View *view, ViewState *state, ViewWorkspace *workspace);

// Draws, or says in a sentence which size the view needs.
void view_draw(const View *view, const ViewState *state, Canvas *canvas);

// Turns what the view keeps further in or out; false where it has nothing there.
bool view_turn(const View *view, ViewState *state, ViewWorkspace *workspace, bool is_in);

ViewNumbers view_numbers(const View *view, const ViewState *state); // state->node is not NULL
void view_measure(const View *view, const ViewState *state, int *width, int *height);

// ---- parts of the screen that are no views of a node

// Where the view of the steps is prepared: the step so many lines below (or above) the current one,
// or as far as there are any.
const Node *view_tape_node_beside(const ViewState *state, int lines);

// The number under the cursor in digits five rows high; as large as the canvas allows.
void view_draw_big(const ViewState *state, Canvas *canvas);

// state->keys as a table, from line state->scroll on; gives how many lines there are.
int view_draw_help(const ViewState *state, Canvas *canvas);
const char *view_help_title(Language language);

// Formula, operands, result, sources, wrapped; gives the lines that all of it takes. canvas NULL
// measures for that width.
int view_draw_explanation(const ViewState *state, Canvas *canvas, int width);

#endif
