// make_corpus.c - writes the text that the story models learn from: `make corpus`.
#include <stdio.h>

#include "app/options.h"
#include "engine/base/file.h"
#include "tests/support_corpus.h"

typedef struct Wanted {
    const char *folder, *output;
    double megabytes;
    int seed;
    CorpusChoice choice;
} Wanted;

static bool write_texts(const Corpus *corpus, const Wanted *wanted, Error *err) {
    FileWriter writer;
    Buffer text = {0};
    if (!file_writer_open(&writer, wanted->output, err)) {
        return false;
    }
    bool ok = true;
    for (uint64_t n = 0; ok && (double)writer.written_bytes < 1e6 * wanted->megabytes; n++) {
        text.length = 0;
        buffer_append_text(&text, n == 0 ? "" : "<|endoftext|>\n");
        corpus_tell(corpus, &wanted->choice, (uint64_t)wanted->seed, n, &text);
        buffer_append_text(&text, "\n");
        ok = file_writer_write(&writer, text.bytes, text.length);
    }
    buffer_free(&text);
    return file_writer_commit(&writer, err);
}

static bool make(const Wanted *wanted, Error *err) {
    Corpus corpus;
    if (wanted->megabytes <= 0.0 || wanted->seed < 0) {
        return error_set(err, "--megabytes: expected more than 0; --seed: 0 or more");
    }
    if (!corpus_load(&corpus, wanted->folder, err)) {
        return false;
    }
    bool ok = corpus_check(&corpus, &wanted->choice, err) && write_texts(&corpus, wanted, err);
    corpus_free(&corpus);
    return ok;
}

int main(int argc, char **argv) {
    Wanted wanted = {
        .folder = "assets/corpus", .output = "-", .megabytes = 6.0, .seed = 1, .choice = {false}};
    const Option options[] = {
        {"folder", 0, OPTION_TEXT, &wanted.folder, "words.txt, grammar.txt, stories.txt"},
        {"megabytes", 'm', OPTION_REAL, &wanted.megabytes, "how much text, at least (6)"},
        {"seed", 's', OPTION_INT, &wanted.seed, "of the draws (1)"},
        {"held-out", 0, OPTION_FLAG, &wanted.choice.held_out, "the stories that are held out"},
        {"kind", 'k', OPTION_TEXT, &wanted.choice.kind, "texts of one kind of grammar.txt alone"},
        {"output", 'o', OPTION_TEXT, &wanted.output, "the file to write (standard output)"},
    };
    Error err = {""};
    int first = 0;
    bool ok =
        options_read(argc, argv, options, sizeof options / sizeof options[0], &first, NULL, &err) &&
        (first == argc || error_set(&err, "expected options only, found \"%.60s\"", argv[first])) &&
        make(&wanted, &err);
    if (!ok) {
        fprintf(stderr, "make corpus: %s\n", err.text);
    }
    return ok ? 0 : 1;
}
