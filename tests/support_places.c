// support_places.c - places that show every view and everything else that the screen can show.
#include "tests/support_places.h"

#define TOY "13@1|open toy-copy --ids 1,5,4;1,3,6 --seed 1"
#define WEIGHTS "|go encoder.0.self_attn.weights|cell encoder.0.self_attn.weights[0,1,2,0]"

const SupportPlace SUPPORT_PLACES[] = {
    {"menu", NULL},
    {"lesson", "13@1"},
    {"question", "13@3"},
    {"tensor", TOY "|go encoder.0.norm1|cell encoder.0.norm1[0,1,2]|view tensor"},
    {"masked", TOY "|go decoder.0.self_attn.masked|cell decoder.0.self_attn.masked[0,1,0,1]"},
    {"equation", TOY "|go encoder.0.self_attn.scores|view equation"},
    {"attention", TOY WEIGHTS "|view attention"},
    {"attention-row", TOY WEIGHTS "|view attention|heat row"},
    {"shades", "13@1|open toy-copy --ids 1,5,4,3,6,7,5,4,3,6,7,5,4,3 --seed 1"
               "|go encoder.0.self_attn.weights|view attention"},
    {"heads", TOY WEIGHTS "|view heads"},
    {"lines", TOY WEIGHTS "|view lines"},
    {"tokens", "3@1|open story-single-head --seed 1|tokens The cat sat on the mat.|view tokens"},
    {"embeddings", TOY "|show src.embedding|view embeddings"},
    {"predictions", TOY "|last|go logits|view predictions"},
    {"loss", TOY "|go loss|view loss"},
    {"beam", TOY "|train 60|beam 3|view beam"},
    {"training", TOY "|train 60|view training"},
    {"change", TOY "|cell encoder.0.self_attn.v[0,0,0,1]|edit 2.5|view change"},
    {"map", TOY WEIGHTS "|view map"},
    {"gradient", TOY "|go grad.encoder.0.norm1|cell grad.encoder.0.norm1[0,1,2]"},
    {"big", TOY WEIGHTS "|big on"},
    {"help", "13@1|help"},
    {"changes", TOY "|change"},
    {"spotlight", TOY WEIGHTS "|spotlight on"},
    {"search", TOY WEIGHTS "|search norm"},
};

const int N_SUPPORT_PLACES = sizeof SUPPORT_PLACES / sizeof SUPPORT_PLACES[0];

LearnOptions support_place_options(const SupportPlace *place, ThemeName theme) {
    return (LearnOptions){.state = place->state, .terminal = {.theme = theme}};
}
