// view.h - one picture of what is looked at: a view prepares (reads), then draws (pure) on a
// canvas.
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include "engine/explain.h"
#include "engine/model.h"
#include "engine/stepper.h"
#include "views/canvas.h"
#include "views/sentences.h"
#include "views/tensor_text.h"

// What was measured at each step of a run of training.
typedef struct ViewRun {
    const float *losses; // n_steps
    const float *norms;  // of the gradients
    int n_steps;
} ViewRun;

typedef struct ViewTraining {
    ViewRun run;
    ViewRun other;  // to compare with; n_steps 0: none
    int shown_step; // whose weights are in the model
    bool is_running;
    double tokens_per_second;
    float lr;
} ViewTraining;

// What there is to see. All pointers are borrowed, and NULL where there is none.
typedef struct ViewState {
    const Tape *tape;
    const ModelNodes *nodes;
    const Stepper *stepper;
    const Node *node;               // that is looked at; its numbers are those of this run
    size_t element;                 // the cursor, an element of node
    const Explanation *explanation; // of that element
    const char *arithmetic;         // the explanation as lines
    const float *before;            // the numbers of node before the last change; NULL: none
    TensorLabels labels;            // the words of ids
    const ViewTraining *training;
    Language language;
    int scroll; // lines, of a view that is a list
} ViewState;

typedef struct View {
    const char *name; // in commands and in the pane's title
    // True where the view has something to show of this state.
    bool (*fits)(const ViewState *state);
    void (*draw)(const ViewState *state, Canvas *canvas);
} View;

// The views of a node, in the order in which `v` goes round; ended by NULL.
extern const View *const VIEWS[];

// The pane with the tape's scopes and steps; gives the line where the current step stands.
void view_draw_tape(const ViewState *state, Canvas *canvas);

// The step whose line is at row y of a tape pane of that height; NULL: none.
const Node *view_tape_node_at(const ViewState *state, int height, int y);

// The element whose cell is at (x, y) of the canvas in which the tensor was drawn; false: none.
bool view_tensor_element_at(const ViewState *state, int width, int height, int x, int y,
                            size_t *element);

#endif
