// test_story_models.c - the models that learned from the corpus: what they lose on new texts, how
// they go on from a few words, and what the attention of story-gpt2 makes of a word with two
// meanings. `test_story_models FOLDER` measures the meanings in another model.
#include "tests/support.h"
#include "tests/support_corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/models/preset.h"
#include "engine/models/text_marks.h"
#include "kernels/random.h"

enum { MAX_TEXTS = 16, MAX_WIDTH = 1024, MAX_LAYERS = 64, SEED = 1717 };

static const char *model_name = "story-gpt2";
static bool model_is_shipped = true;
static Device *device;

// The vectors of one word after one layer, in texts of its first meaning and of its second.
typedef struct Vectors {
    float values[2][MAX_TEXTS][MAX_WIDTH];
    int n_texts, width;
} Vectors;

static void take_mean_away(Vectors *vectors) {
    for (int c = 0; c < vectors->width; c++) {
        double mean = 0.0;
        for (int i = 0; i < 2 * vectors->n_texts; i++) {
            mean += (double)vectors->values[i % 2][i / 2][c] / (2 * vectors->n_texts);
        }
        for (int i = 0; i < 2 * vectors->n_texts; i++) {
            vectors->values[i % 2][i / 2][c] -= (float)mean;
        }
    }
}

static double cosine(const float *x, const float *y, int n) {
    double dot = 0.0;
    double xx = 1e-12;
    double yy = 1e-12;
    for (int c = 0; c < n; c++) {
        dot += (double)x[c] * (double)y[c];
        xx += (double)x[c] * (double)x[c];
        yy += (double)y[c] * (double)y[c];
    }
    return dot / sqrt(xx * yy);
}

// How much more alike two vectors of one meaning are than two of different ones: the difference of
// the mean cosines, once the mean of all vectors is taken away.
static double gap_of(Vectors *vectors) {
    double sums[2] = {0.0, 0.0};
    int counts[2] = {0, 0};
    take_mean_away(vectors);
    for (int i = 0; i < 2 * vectors->n_texts; i++) {
        for (int j = 0; j < i; j++) {
            int differs = i % 2 != j % 2;
            sums[differs] += cosine(vectors->values[i % 2][i / 2], vectors->values[j % 2][j / 2],
                                    vectors->width);
            counts[differs]++;
        }
    }
    return sums[0] / counts[0] - sums[1] / counts[1];
}

// The vectors of the word where it stands last in a text, after the embedding and after each block.
static void read_vectors(NamedModel *named, const char *word, const char *text, int meaning,
                         Vectors *layers) {
    Error err = {""};
    ModelTape built;
    TokenIds ids = {0};
    char piece[64];
    int length = snprintf(piece, sizeof piece, "\xE2\x96\x81%s", word);
    int id = tokenizer_find(&named->tokenizer, piece, (size_t)length);
    assert_true(id >= 0);
    support_require(tokenizer_encode(&named->tokenizer, text, strlen(text), &ids, NULL, &err),
                    &err);
    support_require(model_tape_build(&built, &named->model, TAPE_WATCH, device,
                                     (BatchShape){1, (int)ids.count, 0}, TAPE_LOGITS, &err) &&
                        tape_allocate(&built.tape, &err),
                    &err);
    tape_set_ids(&built.tape, built.nodes.tokens, ids.ids);
    tape_run(&built.tape);
    size_t at = ids.count;
    while (at > 0 && ids.ids[at - 1] != id) {
        at--;
    }
    assert_true(at > 0);
    for (int layer = 0; layer <= named->model.config.n_layers; layer++) {
        const Node *node = layer == 0 ? tape_find_role(&built.tape, ROLE_INPUT, 0)
                                      : tape_find_role(&built.tape, ROLE_RESIDUAL, 2 * layer - 1);
        assert_non_null(node);
        int C = node->shape.sizes[2];
        assert_true(C <= MAX_WIDTH && layers[layer].n_texts < MAX_TEXTS);
        layers[layer].width = C;
        memcpy(layers[layer].values[meaning][layers[layer].n_texts],
               tape_values(&built.tape, node) + (at - 1) * (size_t)C, (size_t)C * sizeof(float));
        layers[layer].n_texts += meaning;
    }
    model_tape_free(&built);
    token_ids_free(&ids);
}

// Prints the gaps of a word and gives that after the first block.
static double say_gaps(const char *word, Vectors *layers, int n_layers) {
    printf("%-6s %2d texts each: gap before attention %6.3f, after each block", word,
           layers[0].n_texts, gap_of(&layers[0]));
    double first = gap_of(&layers[1]);
    printf(" %6.3f", first);
    for (int layer = 2; layer <= n_layers; layer++) {
        printf(" %6.3f", gap_of(&layers[layer]));
    }
    printf("\n");
    memset(layers, 0, ((size_t)n_layers + 1) * sizeof *layers);
    return first;
}

// assets/corpus/meanings.tsv: word, text, text.
static void attention_tells_the_meanings_of_a_word_apart(void **state) {
    (void)state;
    Error err = {""};
    NamedModel named;
    Buffer file = {0};
    support_require(preset_open(&named, model_name, false, 0, NULL, &err), &err);
    support_require(buffer_load(&file, "assets/corpus/meanings.tsv", &err), &err);
    int n_layers = named.model.config.n_layers;
    Vectors *layers = calloc((size_t)n_layers + 1, sizeof *layers);
    assert_non_null(layers);
    const char *word = "";
    char *lines = NULL;
    for (char *line = strtok_r(file.bytes, "\n", &lines); line != NULL;
         line = strtok_r(NULL, "\n", &lines)) {
        if (line[0] == '#') {
            continue;
        }
        char *columns = NULL;
        const char *next_word = strtok_r(line, "\t", &columns);
        if (layers[0].n_texts > 0 && strcmp(next_word, word) != 0) {
            double gap = say_gaps(word, layers, n_layers);
            assert_true(!model_is_shipped || gap >= 0.3);
        }
        word = next_word;
        for (int meaning = 0; meaning < 2; meaning++) {
            const char *text = strtok_r(NULL, "\t", &columns);
            assert_non_null(text);
            read_vectors(&named, word, text, meaning, layers);
        }
    }
    double gap = say_gaps(word, layers, n_layers);
    assert_true(!model_is_shipped || gap >= 0.3);
    free(layers);
    buffer_free(&file);
    preset_close(&named);
}

// ---- what they cost and what they lose

// The mean loss of the next token over texts, each with the marks that it was learned with.
static double loss_on(NamedModel *named, const Corpus *corpus, const CorpusChoice *choice,
                      int n_texts) {
    Error err = {""};
    const TextMarks marks = text_marks_learned(&named->model.config, &named->tokenizer, true);
    double sum = 0.0;
    size_t n = 0;
    for (int i = 0; i < n_texts; i++) {
        Buffer text = {0};
        TokenIds ids = {0};
        ModelTape built;
        corpus_tell(corpus, choice, SEED, (uint64_t)i, &text);
        token_ids_append(&ids, marks.bos_id);
        support_require(
            tokenizer_encode(&named->tokenizer, text.bytes, text.length, &ids, NULL, &err), &err);
        token_ids_append(&ids, marks.eos_id);
        int T = (int)ids.count - 1;
        support_require(model_tape_build(&built, &named->model, TAPE_INFER, device,
                                         (BatchShape){1, T, 0}, TAPE_LOSS, &err) &&
                            tape_allocate(&built.tape, &err),
                        &err);
        tape_set_ids(&built.tape, built.nodes.tokens, ids.ids);
        tape_set_ids(&built.tape, built.nodes.labels, ids.ids + 1);
        tape_run(&built.tape);
        sum += (double)T * (double)*tape_values(&built.tape, built.nodes.loss);
        n += (size_t)T;
        model_tape_free(&built);
        token_ids_free(&ids);
        buffer_free(&text);
    }
    return sum / (double)n;
}

// New texts of the corpus, other names and things in them; and stories that no model has seen.
static void shipped_models_are_small_and_have_learned(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double told, held_out; // measured, and a little more
    } MODELS[] = {{"story", 2.4, 4.0}, {"story-gpt2", 0.6, 6.1}};
    static const CorpusChoice TOLD = {.held_out = false};
    static const CorpusChoice HELD_OUT = {.held_out = true};
    Error err = {""};
    Corpus corpus;
    support_require(corpus_load(&corpus, "assets/corpus", &err), &err);
    for (size_t i = 0; i < sizeof MODELS / sizeof MODELS[0]; i++) {
        NamedModel named;
        char path[64];
        FileBytes file;
        snprintf(path, sizeof path, "assets/models/%s/model.safetensors", MODELS[i].name);
        support_require(file_map(&file, path, &err), &err);
        support_require(preset_open(&named, MODELS[i].name, false, 0, NULL, &err), &err);
        assert_true(named.is_trained);
        double told = loss_on(&named, &corpus, &TOLD, 200);
        double held_out = loss_on(&named, &corpus, &HELD_OUT, 40);
        printf("%-10s %7zu bytes, %zu parameters: loss %.4f on new texts, %.4f on new stories\n",
               MODELS[i].name, file.size_bytes, named.model.params.n_values, told, held_out);
        assert_in_range(file.size_bytes, 1, 4000000);
        assert_true(told < MODELS[i].told && held_out < MODELS[i].held_out);
        preset_close(&named);
        file_close(&file);
    }
    corpus_free(&corpus);
}

// LayerNorm on the logits: they begin with variance 1, so that the loss is ln V + 1/2 on average.
static void the_articles_presets_begin_at_ln_v_and_a_half(void **state) {
    (void)state;
    static const char *const NAMES[] = {"story-single-head", "story-parallel-heads",
                                        "story-sequential-heads"};
    enum { B = 8, T = 64 };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Error err = {""};
        NamedModel named;
        ModelTape built;
        int32_t ids[B * T + 1];
        support_require(preset_open(&named, NAMES[i], true, 0, NULL, &err), &err);
        assert_int_equal(named.model.config.vocab_size, 2000);
        for (int k = 0; k <= B * T; k++) {
            ids[k] = (int32_t)(random_bits(SEED, 1, 0, (uint64_t)k) % 2000);
        }
        support_require(model_tape_build(&built, &named.model, TAPE_INFER, device,
                                         (BatchShape){B, T, 0}, TAPE_LOSS, &err) &&
                            tape_allocate(&built.tape, &err),
                        &err);
        tape_set_ids(&built.tape, built.nodes.tokens, ids);
        tape_set_ids(&built.tape, built.nodes.labels, ids + 1);
        tape_run(&built.tape);
        double loss = (double)*tape_values(&built.tape, built.nodes.loss);
        printf("%-24s first loss %.3f, ln 2,000 + 1/2 = %.3f\n", NAMES[i], loss, log(2000.0) + 0.5);
        assert_true(loss > 8.0 && loss < 8.3);
        model_tape_free(&built);
        preset_close(&named);
    }
}

int main(int argc, char **argv) {
    model_name = argc > 1 ? argv[1] : model_name;
    model_is_shipped = argc <= 1;
    device = support_device_open(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_articles_presets_begin_at_ln_v_and_a_half),
        cmocka_unit_test(shipped_models_are_small_and_have_learned),
        cmocka_unit_test(attention_tells_the_meanings_of_a_word_apart),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(device);
    return failed;
}
