// heads_run.c - what each head of a language model looks at where a sentence ends, and what the
// model loses without it.
#include "app/commands/heads_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/encode_note.h"
#include "app/model_options.h"
#include "engine/base/buffer.h"
#include "engine/devices/device.h"

enum { MAX_NODES_OF_HEADS = 1024 };

// Tokens first .. end - 1.
typedef struct Span {
    int first, end;
} Span;

typedef struct Run {
    HeadsResult *result;
    NamedModel named;
    Device *device;
    const char *path;
    EncodeReport report; // of the sentences
} Run;

// One sentence with its right word behind it, on a tape of its own.
typedef struct Sentence {
    const Cloze *cloze;
    TokenIds ids;
    Span right, wrong; // the words, where they stand in the text
    Span asked;        // the right word behind it
    ModelTape built;
    const Node *weights[MAX_NODES_OF_HEADS];  // (B,H,T,S), in the order of the layers
    const Node *contexts[MAX_NODES_OF_HEADS]; // (B,H,T,D)
    int n_layers;
} Sentence;

// ---- the sentences

// Three columns; false at a line that has others.
static bool read_cloze(HeadsResult *result, char *line, int number) {
    char *right = strchr(line, '\t');
    char *wrong = right == NULL ? NULL : strchr(right + 1, '\t');
    if (wrong == NULL || strchr(wrong + 1, '\t') != NULL || right == line || wrong == right + 1 ||
        wrong[1] == '\0') {
        return false;
    }
    *right = '\0';
    *wrong = '\0';
    result->clozes[result->n_clozes++] =
        (Cloze){arena_text(&result->arena, line), arena_text(&result->arena, right + 1),
                arena_text(&result->arena, wrong + 1), number};
    return true;
}

static bool read_clozes(HeadsResult *result, const char *path, Error *err) {
    Buffer text = {0};
    bool ok =
        buffer_load(&text, path, err) && (text.length == 0 || strlen(text.bytes) == text.length ||
                                          error_set(err, "%s: expected text, found a NUL", path));
    int number = 0;
    for (char *line = text.bytes; ok && line != NULL;) {
        char *next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line[strcspn(line, "\r")] = '\0';
        number++;
        if (line[0] != '\0' && line[0] != '#') {
            size_t n = (size_t)result->n_clozes + 1;
            result->clozes = memory_resize(result->clozes, n * sizeof *result->clozes);
            ok = read_cloze(result, line, number) ||
                 error_set(err,
                           "%s:%d: expected a text, a tab, the word that follows, a tab and a "
                           "word that does not",
                           path, number);
        }
        line = next;
    }
    buffer_free(&text);
    return ok && (result->n_clozes > 0 || error_set(err, "%s: expected a sentence", path));
}

// ---- where the words stand

// Of words that stand between others; Chinese ones have none around them.
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *find_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length])) {
            return at;
        }
    }
    return NULL;
}

static bool count_tokens(const Run *run, const char *text, size_t length, int *count, Error *err) {
    TokenIds ids = {0};
    bool ok = tokenizer_encode(&run->named.tokenizer, text, length, &ids, NULL, err);
    *count = (int)ids.count;
    token_ids_free(&ids);
    return ok;
}

// Tokenizers part texts before the space of a word: what stands before it has the same tokens
// alone.
static bool find_span(const Run *run, const Cloze *cloze, const char *word, Span *span,
                      Error *err) {
    const char *at = find_word(cloze->text, word);
    if (at == NULL) {
        return error_set(err, "%s:%d: expected \"%.40s\" as a word of the text", run->path,
                         cloze->line, word);
    }
    size_t before = (size_t)(at - cloze->text);
    size_t end = before + strlen(word);
    before -= before > 0 && at[-1] == ' ' ? 1 : 0;
    return count_tokens(run, cloze->text, before, &span->first, err) &&
           count_tokens(run, cloze->text, end, &span->end, err);
}

static bool encode(Run *run, Sentence *sentence, Error *err) {
    const Cloze *cloze = sentence->cloze;
    Buffer text = {0};
    buffer_format(&text, "%s %s", cloze->text, cloze->right);
    EncodeReport report = {0};
    bool ok = tokenizer_encode(&run->named.tokenizer, text.bytes, text.length, &sentence->ids,
                               &report, err) &&
              count_tokens(run, cloze->text, strlen(cloze->text), &sentence->asked.first, err) &&
              find_span(run, cloze, cloze->right, &sentence->right, err) &&
              find_span(run, cloze, cloze->wrong, &sentence->wrong, err);
    encode_report_add(&run->report, &report);
    buffer_free(&text);
    sentence->asked.end = (int)sentence->ids.count;
    return ok && ((sentence->asked.first > 0 && sentence->asked.first < sentence->asked.end) ||
                  error_set(err, "%s:%d: expected words that have tokens", run->path, cloze->line));
}

// ---- the tape

static bool build(Run *run, Sentence *sentence, Error *err) {
    Model *model = &run->named.model;
    BatchShape shape = {1, (int)sentence->ids.count, 0};
    if (!model_tape_build(&sentence->built, model, TAPE_WATCH, run->device, shape, TAPE_LOGITS,
                          err) ||
        !tape_allocate(&sentence->built.tape, err)) {
        return false;
    }
    const Tape *tape = &sentence->built.tape;
    tape_set_ids(tape, sentence->built.nodes.tokens, sentence->ids.ids);
    int n = 0;
    for (; n < MAX_NODES_OF_HEADS; n++) {
        sentence->weights[n] = tape_find_role(tape, ROLE_ATTENTION_WEIGHTS, n);
        sentence->contexts[n] = tape_find_role(tape, ROLE_CONTEXT, n);
        if (sentence->weights[n] == NULL || sentence->contexts[n] == NULL) {
            break;
        }
    }
    sentence->n_layers = n;
    return true;
}

// -ln p of the tokens of a word behind the text, the first of them as the word itself has it.
static double loss_of(const Sentence *sentence, int32_t id, int position) {
    const Node *logits = sentence->built.nodes.logits;
    int V = logits->shape.sizes[2];
    const float *row = tape_values(&sentence->built.tape, logits) + (size_t)position * (size_t)V;
    int best = 0;
    for (int v = 1; v < V; v++) {
        best = row[v] > row[best] ? v : best;
    }
    double others = 0.0; // beside the largest, whose exponential is 1
    for (int v = 0; v < V; v++) {
        others += v != best ? exp((double)(row[v] - row[best])) : 0.0;
    }
    return log1p(others) + (double)(row[best] - row[id]);
}

static double loss_of_right(const Sentence *sentence) {
    double loss = 0.0;
    for (int i = sentence->asked.first; i < sentence->asked.end; i++) {
        loss += loss_of(sentence, sentence->ids.ids[i], i - 1);
    }
    return loss;
}

static double weight_on(const Sentence *sentence, const float *row, Span span) {
    double sum = 0.0;
    for (int s = span.first; s < span.end && s < sentence->asked.first; s++) {
        sum += row[s];
    }
    return sum;
}

static void add_weights(const Sentence *sentence, int layer, int head, HeadScore *score) {
    const Node *node = sentence->weights[layer];
    size_t T = (size_t)node->shape.sizes[2];
    size_t S = (size_t)node->shape.sizes[3];
    size_t place = ((size_t)head * T + (size_t)sentence->asked.first - 1) * S;
    const float *row = tape_values(&sentence->built.tape, node) + place;
    double right = weight_on(sentence, row, sentence->right);
    double wrong = weight_on(sentence, row, sentence->wrong);
    score->right += right;
    score->wrong += wrong;
    score->n_right += right > wrong ? 1 : 0;
}

// What the head gives is 0 at every position; what follows runs again.
static void add_loss_without(const Sentence *sentence, int layer, int head, HeadScore *score) {
    const Tape *tape = &sentence->built.tape;
    const Node *node = sentence->contexts[layer];
    size_t size = (size_t)node->shape.sizes[2] * (size_t)node->shape.sizes[3];
    for (size_t i = 0; i < size; i++) {
        tape_set_number(tape, node, (size_t)head * size + i, 0.0F);
    }
    tape_run_range(tape, node->id + 1, tape->n_nodes);
    score->loss += loss_of_right(sentence);
    tape_run_range(tape, node->id, node->id + 1);
}

// ---- all of it

static bool name_heads(HeadsResult *result, const Sentence *sentence) {
    int n = 0;
    for (int layer = 0; layer < sentence->n_layers; layer++) {
        n += sentence->weights[layer]->shape.sizes[1];
    }
    result->heads = calloc((size_t)n, sizeof *result->heads);
    for (int layer = 0; result->heads != NULL && layer < sentence->n_layers; layer++) {
        for (int head = 0; head < sentence->weights[layer]->shape.sizes[1]; head++) {
            result->heads[result->n_heads++] = (HeadScore){.layer = layer, .head = head};
        }
    }
    return result->heads != NULL;
}

static void score(HeadsResult *result, const Sentence *sentence) {
    const Tape *tape = &sentence->built.tape;
    int last = sentence->asked.first - 1;
    tape_run(tape);
    result->loss += loss_of_right(sentence);
    double right = loss_of(sentence, sentence->ids.ids[sentence->right.first], last);
    double wrong = loss_of(sentence, sentence->ids.ids[sentence->wrong.first], last);
    result->n_preferred += right < wrong ? 1 : 0;
    for (int i = 0; i < result->n_heads; i++) {
        add_weights(sentence, result->heads[i].layer, result->heads[i].head, &result->heads[i]);
    }
    for (int i = result->n_heads - 1; i >= 0; i--) { // what a later layer read is run again by it
        add_loss_without(sentence, result->heads[i].layer, result->heads[i].head,
                         &result->heads[i]);
    }
}

// A head's loss may be infinite where the model's own is not.
static bool is_finite(const HeadsResult *result) {
    bool ok = isfinite(result->loss);
    for (int i = 0; i < result->n_heads; i++) {
        const HeadScore *head = &result->heads[i];
        ok = ok && isfinite(head->loss) && isfinite(head->right) && isfinite(head->wrong);
    }
    return ok;
}

static bool run_sentence(Run *run, const Cloze *cloze, Error *err) {
    Sentence *sentence = calloc(1, sizeof *sentence);
    if (sentence == NULL) {
        return error_set(err, "not enough memory for a sentence");
    }
    sentence->cloze = cloze;
    bool ok = encode(run, sentence, err) && build(run, sentence, err);
    if (ok && run->result->heads == NULL) {
        ok = (sentence->n_layers > 0 && name_heads(run->result, sentence)) ||
             error_set(err, "%s: expected a model with attention", run->named.name);
    }
    if (ok) {
        score(run->result, sentence);
        ok = tape_check(&sentence->built.tape, err) &&
             (is_finite(run->result) || model_refuse_loss(run->named.name, err));
    }
    model_tape_free(&sentence->built);
    token_ids_free(&sentence->ids);
    free(sentence);
    return ok;
}

static int compare(const void *a, const void *b) {
    const HeadScore *x = a;
    const HeadScore *y = b;
    double difference = (y->right - y->wrong) - (x->right - x->wrong);
    if (difference != 0.0) {
        return difference > 0.0 ? 1 : -1;
    }
    return x->layer != y->layer ? x->layer - y->layer : x->head - y->head;
}

static bool check_model(const Run *run, Error *err) {
    if (config_has_two_sides(&run->named.model.config)) {
        return error_set(err, "%s: expected a language model, found an encoder-decoder",
                         run->named.name);
    }
    return run->named.tokenizer.n_pieces > 0 ||
           error_set(err, "%s: has no tokenizer; --tokenizer gives one", run->named.name);
}

bool heads_run(HeadsResult *result, const ModelChoice *choice, const char *path, Error *err) {
    Run run = {.result = result, .path = path};
    bool ok = read_clozes(result, path, err) && model_choice_open(choice, &run.named, err) &&
              check_model(&run, err) && model_choice_load(choice, &run.named, &run.device, err);
    if (ok) {
        model_say_notes(&run.named, choice->untrained, choice->has_seed);
    }
    for (int i = 0; ok && i < result->n_clozes; i++) {
        ok = run_sentence(&run, &result->clozes[i], err);
    }
    encode_note_say(&run.report, &run.named.tokenizer);
    if (ok) {
        qsort(result->heads, (size_t)result->n_heads, sizeof *result->heads, compare);
    }
    preset_close(&run.named);
    device_close(run.device);
    return ok;
}

void heads_free(HeadsResult *result) {
    free(result->clozes);
    free(result->heads);
    arena_free(&result->arena);
    *result = (HeadsResult){.n_clozes = 0};
}
