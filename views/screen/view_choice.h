// view_choice.h - how the token after a position was chosen, or would be now.
#ifndef VIEWS_SCREEN_VIEW_CHOICE_H
#define VIEWS_SCREEN_VIEW_CHOICE_H

#include "views/screen/view.h"

// The row of logits at the cursor's item and position; logits NULL: there is none.
typedef struct ViewRow {
    const Tape *tape;
    const Node *logits;
    int item, position;
} ViewRow;

typedef struct ViewChoice {
    const Sampler *sampler; // NULL: there is none
    int position;           // of the row that it is made from
    bool is_made;           // else it would be made with the present settings
    bool has_u;             // its u is that of a draw
} ViewChoice;

// Where a token was decoded its choice is shown as it was made, and apart from it what would come
// next; after the last row it is the other way round.
typedef struct ViewChoices {
    Sampler now; // what the present settings make of one row; V 0: nothing
    ViewChoice shown, other;
    bool is_of_other_model; // the numbers that show are not those of the tape any more
} ViewChoices;

ViewRow view_choice_row(const ViewState *state);
const float *view_choice_values(const ViewRow *row);
const SamplingCandidate *view_choice_taken(const ViewChoice *choice);

// A zeroed one is ready; sampler_free(&choices->now) gives it back.
void view_choice_find(ViewChoices *choices, const ViewState *state);

#endif
