// view_world.c - the toy model, stepped and looked at: what tests of views draw.
#include "tests/support.h"
#include "tests/support_node.h"

#include "tests/view_world.h"

#include <math.h>
#include <string.h>

static const char *token_text(const void *context, int32_t id, char *text, size_t size) {
    return model_input_token(context, id, text, size);
}

void view_world_open(ViewWorld *world, const char *line) {
    Error err = {""};
    memset(world, 0, sizeof *world);
    support_require(playground_open(&world->playground, line, &err), &err);
    OpenModel *opened = world->playground.opened;
    stepper_move(&world->playground.stepper, STEP_LAST);
    stepper_run(&world->playground.stepper, 60000.0);
    world->state =
        (ViewState){.tape = &opened->built.tape,
                    .nodes = &opened->built.nodes,
                    .stepper = &world->playground.stepper,
                    .left_out = opened->named.model.config.pad_id,
                    .labels = {&opened->built.tape, &opened->built.nodes, token_text, opened}};
    if (plane_update(&world->plane, opened)) {
        world->state.plane = (ViewPlane){world->plane.values, world->plane.side};
    }
}

void view_world_close(ViewWorld *world) {
    plane_free(&world->plane);
    explain_free(&world->explanation);
    view_workspace_free(&world->workspace);
    decode_free(&world->decoding);
    sampler_free(&world->draw.made);
    playground_close(&world->playground);
}

void view_world_look_at(ViewWorld *world, const Node *node, size_t element) {
    Stepper *stepper = &world->playground.stepper;
    stepper_go(stepper, node);
    assert_true(stepper_require(stepper, node, NULL));
    stepper_run(stepper, 60000.0);
    explain_cell(&world->explanation, stepper->tape, node, element);
    world->state.node = node;
    world->state.element = element;
    world->state.explanation = &world->explanation;
}

bool view_world_look(ViewWorld *world, const char *stage, const int *indices) {
    const Node *node = stepper_find(&world->playground.stepper, stage);
    if (node == NULL) {
        node = tape_find(world->state.tape, stage);
    }
    if (node == NULL) {
        return false;
    }
    view_world_look_at(world, node, shape_flat(&node->shape, indices));
    return true;
}

void view_world_train(ViewWorld *world) {
    uint32_t noise = 1;
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < WORLD_STEPS; i++) {
            noise = noise * 1664525U + 1013904223U;
            float shake = 0.06F * ((float)(noise >> 8) / 16777216.0F - 0.5F);
            float fall = expf(-(float)i / (run == 0 ? 22.0F : 38.0F));
            world->losses[run][i] = 0.03F + 2.1F * fall * (1.0F + shake);
            world->norms[run][i] = 0.1F + 1.4F * fall * (1.0F + 4.0F * shake);
            world->rates[i] =
                0.01F * (i < 10 ? (float)(i + 1) / 10.0F : 1.0F - 0.9F * (float)(i - 10) / 110.0F);
        }
    }
    world->training = (ViewTraining){
        .run = {world->losses[0], world->norms[0], WORLD_STEPS, NULL, 0},
        .other = {world->losses[1], world->norms[1], WORLD_STEPS - 20, NULL, 0},
        .shown_step = 60,
        .is_running = true,
        .tokens_per_second = 48210.0,
        .lr = world->rates[WORLD_STEPS - 1],
        .rates = world->rates,
    };
    world->state.training = &world->training;
}

void view_world_measure(ViewWorld *world) {
    // One that falls with the length, and one that does not.
    static const LengthCurves LENGTHS = {
        .items = {{.name = "seq2seq-fixed",
                   .shortest = 2,
                   .longest = 12,
                   .right = {0, 0, 97, 92, 88, 71, 56, 38, 19, 7, 1, 0, 0}},
                  {.name = "seq2seq-additive, trained 400 steps",
                   .shortest = 2,
                   .longest = 12,
                   .right = {0, 0, 100, 100, 98, 97, 96, 91, 91, 82, 83, 79, 60}}},
        .n = 2};
    world->state.lengths = &LENGTHS;
}

void view_world_time(ViewWorld *world) {
    static const Distances DISTANCES = {
        .sizes = {8, 16, 32, 64, 128, 256, 512, 1024},
        .seconds = {{1e-6, 4e-6, 16e-6, 64e-6, 256e-6, 1e-3, 4e-3, 28e-3},
                    {2e-6, 3e-6, 6e-6, 9e-6, 20e-6, 70e-6, 270e-6, 1.1e-3},
                    {3e-6, 4e-6, 5e-6, 8e-6, 18e-6, 60e-6, 250e-6, 1e-3},
                    {3e-6, 4e-6, 6e-6, 9e-6, 19e-6, 65e-6, 140e-6, 0.6e-3}},
        .is_there = {true, true, true, true, false}};
    world->state.distances = &DISTANCES;
}

void view_world_count(ViewWorld *world) {
    // The parts as they are, round numbers for what depends on how a tape is laid out.
    static const SizePlan PLAN = {.name = "transformer-base",
                                  .size = {.parts = {{"src_embed", 1, 18944000},
                                                     {"encoder.layers.self_attn", 6, 6303744},
                                                     {"encoder.layers.norm", 6, 12288},
                                                     {"encoder.layers.linear", 6, 12598272},
                                                     {"encoder.norm", 1, 1024},
                                                     {"decoder.layers.self_attn", 6, 6303744},
                                                     {"decoder.layers.norm", 6, 18432},
                                                     {"decoder.layers.multihead_attn", 6, 6303744},
                                                     {"decoder.layers.linear", 6, 12598272},
                                                     {"decoder.norm", 1, 1024},
                                                     {"generator", 1, 37000}},
                                           .n_parts = 11,
                                           .n_parameters = 63121544,
                                           .memory = {.parameters = 250000000,
                                                      .gradients = 250000000,
                                                      .optimizer = 500000000,
                                                      .tape = 3500000000,
                                                      .batch = 50000,
                                                      .total = 4500050000},
                                           .inference_bytes = 900000000,
                                           .forward_flops = 0.5321e12,
                                           .step_flops = 1.6045e12,
                                           .shape = {32, 128, 128}},
                                  .n_processes = 2,
                                  .n_steps = 100000,
                                  .flops = 9.5e12,
                                  .is_said = true,
                                  .percent = 30.0};
    world->state.size = &PLAN;
}

void view_world_decode(ViewWorld *world) {
    static const int32_t SOURCE[] = {1, 5, 4};
    OpenModel *opened = world->playground.opened;
    BeamConfig config = {.width = 3, .max_length = 4, .alpha = 0.6F, .end_id = 2};
    Error err = {""};
    const Tape *tape = world->state.tape;
    support_require(
        decode_beam(&world->decoding, &opened->named.model, tape->device, SOURCE, 3, &config, &err),
        &err);
    world->state.decoding = &world->decoding;
}

// The token behind position 0 becomes the one that is drawn there.
static void put_drawn_token(ViewWorld *world) {
    const ModelNodes *nodes = world->state.nodes;
    Sampler *made = &world->draw.made;
    Error err = {""};
    support_require(sampler_init(made, &world->sampling, shape_width(&nodes->logits->shape), &err),
                    &err);
    made->left_out = world->state.left_out;
    support_ids(nodes->tokens)[1] =
        sampler_draw(made, support_numbers(nodes->logits), NULL, 0, 0, SAMPLING_SHOWN);
}

void view_world_sample(ViewWorld *world, double u) {
    world->sampling = sampling_defaults();
    world->sampling.temperature = 0.8;
    world->sampling.top_k = 5;
    world->sampling.top_p = 0.9;
    while (fabs(sampling_u(world->sampling.seed, 0) - u) > 4e-5) {
        world->sampling.seed++;
    }
    world->state.sampling = &world->sampling;
    world->state.draws = &world->draw;
    world->state.next_draw = 1;
    put_drawn_token(world);
}

void view_world_change(ViewWorld *world) {
    const Node *node = world->state.node;
    size_t count = shape_count(&node->shape);
    assert_true(!node_holds_ids(node) && count <= 4096);
    for (size_t i = 0; i < count; i++) {
        world->before[i] = support_numbers(node)[i] + (i % 3 == 1 ? 0.25F : 0.0F);
    }
    world->state.before = world->before;
}

#if !defined(__SANITIZE_ADDRESS__)
// The C library's own, under the names it keeps for whoever wraps them.
extern void *__libc_malloc(size_t size);               // NOLINT(bugprone-reserved-identifier)
extern void *__libc_calloc(size_t count, size_t size); // NOLINT(bugprone-reserved-identifier)
extern void *__libc_realloc(void *old, size_t size);   // NOLINT(bugprone-reserved-identifier)

static bool is_counting;
static size_t n_allocations;

// The parameters are called as the C library's header calls them.
void *malloc(size_t __size) { // NOLINT(bugprone-reserved-identifier)
    n_allocations += is_counting;
    return __libc_malloc(__size);
}

void *calloc(size_t __nmemb, size_t __size) { // NOLINT(bugprone-reserved-identifier)
    n_allocations += is_counting;
    return __libc_calloc(__nmemb, __size);
}

void *realloc(void *__ptr, size_t __size) { // NOLINT(bugprone-reserved-identifier)
    n_allocations += is_counting;
    return __libc_realloc(__ptr, __size);
}

size_t support_count_allocations(bool on) {
    is_counting = on;
    size_t n = n_allocations;
    n_allocations = 0;
    return n;
}
#endif
