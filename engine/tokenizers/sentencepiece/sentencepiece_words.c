// sentencepiece_words.c - from lines of text to counted words, and the characters that get pieces.
#include "engine/tokenizers/sentencepiece/sentencepiece_words.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/bpe_symbols.h"
#include "engine/tokenizers/tokenizer_private.h"

enum { N_CODES = 0x110000, MOST_THREADS = 64, LEAST_CHUNK_BYTES = 1 << 20 };
static const char UNKNOWN_CHAR[] = "\xe2\x96\x85"; // U+2585, BPE_UNKNOWN_CHAR

// ---- one line

typedef struct WordRun {
    const Normalizer *normalizer;
    const SymbolSet *symbols;
    const SentencePieceOptions *options;
    const char *text; // of this run
    size_t length;
    WordCounts words;
    Buffer line, replaced;
    SentencePieceReport report;
    pthread_t thread;
    bool has_thread;
} WordRun;

static bool is_space(const char *bytes, size_t length) {
    return length >= NORMALIZER_SPACE_BYTES && bytes[0] == NORMALIZER_SPACE[0] &&
           bytes[1] == NORMALIZER_SPACE[1] && bytes[2] == NORMALIZER_SPACE[2];
}

static size_t find_space(const char *line, size_t length, size_t from) {
    for (size_t i = from; i < length; i++) {
        const char *next = memchr(line + i, 0xe2, length - i);
        if (next == NULL) {
            return length;
        }
        i = (size_t)(next - line);
        if (is_space(next, length - i)) {
            return i;
        }
    }
    return length;
}

// Where a word that begins at start ends: before the next ▁, or behind it where ▁ is a suffix. A
// run of ▁ stays whole where pieces may be whitespace only.
static size_t find_word_end(const SentencePieceOptions *options, const char *line, size_t length,
                            size_t start) {
    size_t i = options->whitespace_as_suffix ? find_space(line, length, start) : start;
    if (is_space(line + i, length - i)) {
        i += NORMALIZER_SPACE_BYTES;
        while (options->whitespace_only_pieces && is_space(line + i, length - i)) {
            i += NORMALIZER_SPACE_BYTES;
        }
    }
    return options->whitespace_as_suffix ? i : find_space(line, length, i);
}

static void add_words(WordRun *run, const char *line, size_t length) {
    if (!run->options->split_by_whitespace) {
        word_counts_append(&run->words, line, length,
                           1); // lines keep their order, as in the reference
        return;
    }
    for (size_t start = 0; start < length;) {
        const size_t end = find_word_end(run->options, line, length, start);
        word_counts_add(&run->words, line + start, end - start, 1);
        start = end;
    }
}

// Copies the line with a TAB in place of every symbol; false where it holds none.
static bool replace_symbols(WordRun *run) {
    run->replaced.length = 0;
    size_t copied = 0;
    for (size_t i = 0; i < run->line.length;) {
        const size_t n = symbol_set_match(run->symbols, run->line.bytes + i, run->line.length - i);
        if (n == 0) {
            i++;
            continue;
        }
        buffer_append(&run->replaced, run->line.bytes + copied, i - copied);
        buffer_append(&run->replaced, "\t", 1);
        i += n;
        copied = i;
    }
    if (copied == 0) {
        return false;
    }
    buffer_append(&run->replaced, run->line.bytes + copied, run->line.length - copied);
    return true;
}

static bool holds_reserved(const char *line, size_t length) {
    return memmem(line, length, UNKNOWN_CHAR, 3) != NULL;
}

static void count_line(WordRun *run, const char *line, size_t length) {
    if (length == 0) {
        return;
    }
    if (length > (size_t)run->options->max_sentence_bytes) {
        run->report.n_too_long++;
        return;
    }
    if (holds_reserved(line, length)) {
        run->report.n_reserved++;
        return;
    }
    run->report.n_sentences++;
    run->line.length = 0;
    normalizer_run(run->normalizer, line, length, &run->line, &run->report.n_invalid_bytes);
    if (replace_symbols(run)) {
        add_words(run, run->replaced.bytes, run->replaced.length);
    } else {
        add_words(run, run->line.bytes, run->line.length);
    }
}

static void *count_lines(void *context) {
    WordRun *run = context;
    for (size_t start = 0; start < run->length;) {
        const char *newline = memchr(run->text + start, '\n', run->length - start);
        const size_t end = newline == NULL ? run->length : (size_t)(newline - run->text);
        count_line(run, run->text + start, end - start);
        start = end + 1;
    }
    return NULL;
}

// ---- all lines

static size_t next_line_start(const char *text, size_t length, size_t from) {
    const char *newline = from >= length ? NULL : memchr(text + from, '\n', length - from);
    return newline == NULL ? length : (size_t)(newline - text) + 1;
}

static void append_all(WordCounts *words, const WordCounts *more) {
    for (size_t i = 0; i < more->n_words; i++) {
        const CountedWord *word = &more->words[i];
        word_counts_append(words, more->bytes.bytes + word->start, word->length, word->count);
    }
}

// Takes lines of which normalization left nothing out as the reference does, whose order of lines
// this decides: the last line takes the place of each, without another look at it.
static void drop_empty(WordCounts *words) {
    for (size_t i = 0; i < words->n_words; i++) {
        if (words->words[i].length == 0) {
            words->words[i] = words->words[--words->n_words];
        }
    }
}

static void finish_run(WordRun *run, WordCounts *words, SentencePieceReport *report) {
    if (run->has_thread) {
        pthread_join(run->thread, NULL);
    }
    if (words->n_words == 0) {
        word_counts_free(words);
        *words = run->words;
    } else {
        if (run->options->split_by_whitespace) {
            word_counts_merge(words, &run->words);
        } else {
            append_all(words, &run->words);
        }
        word_counts_free(&run->words);
    }
    report->n_sentences += run->report.n_sentences;
    report->n_too_long += run->report.n_too_long;
    report->n_reserved += run->report.n_reserved;
    report->n_invalid_bytes += run->report.n_invalid_bytes;
    buffer_free(&run->line);
    buffer_free(&run->replaced);
}

void sentencepiece_count_words(WordCounts *words, const char *text, size_t length,
                               const Normalizer *normalizer, const SymbolSet *symbols,
                               const SentencePieceOptions *options, SentencePieceReport *report) {
    size_t n_runs = options->n_threads < 1 ? 1 : (size_t)options->n_threads;
    if (n_runs > length / LEAST_CHUNK_BYTES + 1) {
        n_runs = length / LEAST_CHUNK_BYTES + 1;
    }
    if (n_runs > MOST_THREADS) {
        n_runs = MOST_THREADS;
    }
    WordRun *runs = memory_resize(NULL, n_runs * sizeof *runs);
    size_t start = 0;
    for (size_t i = 0; i < n_runs; i++) {
        const size_t share = length / n_runs * (i + 1);
        const size_t end = i + 1 == n_runs ? length : next_line_start(text, length, share);
        const size_t stop = end > start ? end : start;
        runs[i] = (WordRun){.normalizer = normalizer,
                            .symbols = symbols,
                            .options = options,
                            .text = text + start,
                            .length = stop - start};
        start = stop;
        runs[i].has_thread =
            i + 1 < n_runs && pthread_create(&runs[i].thread, NULL, count_lines, &runs[i]) == 0;
        if (!runs[i].has_thread) {
            count_lines(&runs[i]);
        }
    }
    for (size_t i = 0; i < n_runs; i++) {
        finish_run(&runs[i], words, report);
    }
    free(runs);
    if (!options->split_by_whitespace) {
        drop_empty(words);
    }
    report->n_words = words->n_words;
}

// ---- characters

static int compare_chars(const void *a, const void *b) {
    const RequiredChar *left = a;
    const RequiredChar *right = b;
    if (left->count != right->count) {
        return left->count > right->count ? -1 : 1;
    }
    return (left->code > right->code) - (left->code < right->code);
}

// Counts of all characters by code point, and those that occur as a sorted list.
static RequiredChar *count_chars(const WordCounts *words, uint64_t *counts, int *n_chars,
                                 SentencePieceReport *report) {
    int n = 0;
    for (size_t w = 0; w < words->n_words; w++) {
        const CountedWord *word = &words->words[w];
        const char *bytes = words->bytes.bytes + word->start;
        for (size_t i = 0, used = 0; i < word->length; i += used) {
            const int32_t code = utf8_next(bytes + i, word->length - i, &used);
            if (code <= 0) {
                report->n_nul += word->count;
                continue;
            }
            n += counts[code] == 0;
            counts[code] += word->count;
        }
    }
    RequiredChar *chars = memory_resize(NULL, (size_t)n * sizeof *chars);
    int filled = 0;
    for (int32_t code = 0; code < N_CODES; code++) {
        if (counts[code] > 0) {
            chars[filled++] = (RequiredChar){.count = counts[code], .code = code};
        }
    }
    if (n > 0) {
        qsort(chars, (size_t)n, sizeof *chars, compare_chars);
    }
    *n_chars = n;
    return chars;
}

// Keeps what is asked for by name, then the most frequent until the coverage is reached.
static int keep_chars(const RequiredChar *chars, int n_chars, const SentencePieceOptions *options,
                      const uint64_t *counts, bool *is_required, RequiredChar *kept,
                      double *coverage) {
    uint64_t all = 0;
    uint64_t covered = 0;
    int n_kept = 0;
    for (int i = 0; i < n_chars; i++) {
        all += chars[i].count;
    }
    const char *asked = options->required_chars == NULL ? "" : options->required_chars;
    const size_t length = strlen(asked);
    for (size_t i = 0, n = 0; i < length; i += n) {
        const int32_t code = utf8_next(asked + i, length - i, &n);
        if (code > 0 && !is_required[code]) {
            is_required[code] = true;
            covered += counts[code];
            kept[n_kept++] = (RequiredChar){.count = counts[code], .code = code};
        }
    }
    for (int i = 0; i < n_chars; i++) {
        const float share = (float)((double)covered / (double)all);
        if (share >= (float)options->character_coverage) {
            break;
        }
        if (is_required[chars[i].code]) {
            continue;
        }
        covered += chars[i].count;
        if (chars[i].code != '\t') {
            is_required[chars[i].code] = true;
            kept[n_kept++] = chars[i];
        }
    }
    *coverage = all == 0 ? 1.0 : (double)covered / (double)all;
    return n_kept;
}

static void replace_others(WordCounts *words, const bool *is_required, bool keeps_all) {
    WordCounts replaced = {0};
    Buffer word_text = {0};
    for (size_t w = 0; w < words->n_words; w++) {
        const CountedWord *word = &words->words[w];
        const char *bytes = words->bytes.bytes + word->start;
        word_text.length = 0;
        for (size_t i = 0, n = 0; i < word->length; i += n) {
            const int32_t code = utf8_next(bytes + i, word->length - i, &n);
            if (code >= 0 && is_required[code]) {
                buffer_append(&word_text, bytes + i, n);
            } else {
                buffer_append(&word_text, UNKNOWN_CHAR, 3);
            }
        }
        if (keeps_all) {
            word_counts_append(&replaced, word_text.bytes, word_text.length, word->count);
        } else {
            word_counts_add(&replaced, word_text.bytes, word_text.length, word->count);
        }
    }
    buffer_free(&word_text);
    word_counts_free(words);
    *words = replaced;
}

void sentencepiece_choose_chars(WordCounts *words, const SentencePieceOptions *options,
                                RequiredChar **chars, int *n_chars, SentencePieceReport *report) {
    uint64_t *counts = memory_resize(NULL, N_CODES * sizeof *counts);
    memset(counts, 0, N_CODES * sizeof *counts);
    bool *is_required = memory_resize(NULL, N_CODES * sizeof *is_required);
    memset(is_required, 0, N_CODES * sizeof *is_required);
    int n_seen = 0;
    RequiredChar *seen = count_chars(words, counts, &n_seen, report);
    const size_t n_asked = options->required_chars == NULL ? 0 : strlen(options->required_chars);
    *chars = memory_resize(NULL, ((size_t)n_seen + n_asked + 1) * sizeof **chars);
    *n_chars = keep_chars(seen, n_seen, options, counts, is_required, *chars, &report->coverage);
    if (*n_chars > 0) {
        qsort(*chars, (size_t)*n_chars, sizeof **chars, compare_chars);
    }
    if (*n_chars < n_seen || report->n_nul > 0) {
        replace_others(words, is_required, !options->split_by_whitespace);
    }
    if (options->split_by_whitespace) {
        word_counts_sort(words);
    }
    report->n_characters = *n_chars;
    free(seen);
    free(is_required);
    free(counts);
}
