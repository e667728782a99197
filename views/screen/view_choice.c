// view_choice.c - how the token after a position was chosen, or would be now.
#include "views/screen/view_choice.h"

#include <assert.h>
#include <math.h>

ViewRow view_choice_row(const ViewState *state) {
    ViewRow row = {.tape = state->tape,
                   .logits = state->nodes == NULL ? NULL : state->nodes->logits};
    const Node *node = state->node;
    if (row.logits == NULL || node == NULL || shape_rank(&row.logits->shape) != 3) {
        return (ViewRow){.logits = NULL};
    }
    int indices[SHAPE_MAX_RANK] = {0};
    shape_indices(&node->shape, state->element, indices);
    const int *sizes = row.logits->shape.sizes;
    bool is_like = shape_rank(&node->shape) >= 2 && node->shape.sizes[0] == sizes[0] &&
                   node->shape.sizes[1] == sizes[1];
    row.item = is_like ? indices[0] : 0;
    row.position = is_like ? indices[1] : sizes[1] - 1;
    return row;
}

const float *view_choice_values(const ViewRow *row) {
    assert(row->logits != NULL); // or the view does not fit
    const int indices[SHAPE_MAX_RANK] = {row->item, row->position, 0};
    return tape_values(row->tape, row->logits) + shape_flat(&row->logits->shape, indices);
}

const SamplingCandidate *view_choice_taken(const ViewChoice *choice) {
    return &choice->sampler->candidates[choice->sampler->chosen];
}

static bool is_last(const ViewRow *row) {
    return row->position + 1 == row->logits->shape.sizes[1];
}

// The token that stands after the row's, -1: none.
static int32_t token_after(const ViewState *state, const ViewRow *row) {
    const Node *tokens = state->nodes->tokens;
    int at = row->item * row->logits->shape.sizes[1] + row->position + 1;
    return is_last(row) ? -1 : tape_ids(row->tape, tokens)[at];
}

// What the present settings make of a row; after the last one it is the draw that would come next.
static ViewChoice choose_now(ViewChoices *choices, const ViewState *state, const ViewRow *row) {
    Sampler *now = &choices->now;
    int V = shape_width(&row->logits->shape);
    SamplingConfig config = state->sampling != NULL ? *state->sampling : sampling_greedy();
    if (now->V != V) {
        sampler_free(now);
    }
    if ((now->V == 0 && !sampler_init(now, &config, V, NULL)) ||
        !sampling_check_logits(view_choice_values(row), V, state->left_out, NULL)) {
        return (ViewChoice){.sampler = NULL};
    }
    bool has_u = state->next_draw >= 0 && is_last(row) && !sampling_is_greedy(&config);
    double u = has_u ? sampling_u(config.seed, (uint64_t)state->next_draw) : 0.0;
    now->config = config;
    now->left_out = state->left_out;
    sampler_choose(now, view_choice_values(row), NULL, 0, u, SAMPLING_SHOWN);
    return (ViewChoice){.sampler = now, .position = row->position, .has_u = has_u};
}

static ViewChoice choice_made(const SamplingDraw *draw) {
    return (ViewChoice){.sampler = &draw->made,
                        .position = draw->position,
                        .is_made = true,
                        .has_u = !sampling_is_greedy(&draw->made.config)};
}

// The choice of the token after the row, if that still stands there; no sampler: it was given.
static ViewChoice find_made(const ViewState *state, const ViewRow *row) {
    const SamplingDraw *draw = sampling_find_draw(state->draws, row->position);
    const ViewChoice none = {.sampler = NULL};
    const ViewChoice made = draw == NULL ? none : choice_made(draw);
    bool stands = draw != NULL && view_choice_taken(&made)->id == token_after(state, row);
    return stands ? made : none;
}

// A longer tape rounds otherwise: that alone is no other model.
static bool differs(const SamplingCandidate *made, const float *logits) {
    return fabsf(logits[made->id] - made->logit) > 1e-4F * (1.0F + fabsf(made->logit));
}

void view_choice_find(ViewChoices *choices, const ViewState *state) {
    ViewRow row = view_choice_row(state);
    const ViewChoice none = {.sampler = NULL};
    choices->shown = none;
    choices->other = none;
    choices->is_of_other_model = false;
    if (row.logits == NULL) {
        return;
    }
    const ViewChoice made = find_made(state, &row);
    if (made.sampler == NULL) {
        bool has_earlier = state->draws != NULL && is_last(&row);
        choices->shown = choose_now(choices, state, &row);
        choices->other = has_earlier ? choice_made(state->draws) : none;
        return;
    }
    choices->shown = made;
    choices->is_of_other_model = differs(view_choice_taken(&made), view_choice_values(&row));
    if (state->next_draw >= 0) {
        row.position = row.logits->shape.sizes[1] - 1;
        choices->other = choose_now(choices, state, &row);
    }
}
