// test_corpus.c - the corpus of the story models: what its files promise, and how it is told.
#include "tests/support.h"
#include "tests/support_corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"

static const CorpusChoice ALL = {.held_out = false};
static const CorpusChoice HELD_OUT = {.held_out = true};

static void load(Corpus *corpus) {
    Error err = {""};
    support_require(corpus_load(corpus, "assets/corpus", &err), &err);
}

// ---- the stories

static int count_words(const char *text) {
    int n = 0;
    bool is_inside = false;
    bool is_slot = false; // "{a toy}" is one word
    for (; *text != '\0'; text++) {
        is_slot = *text == '{' || (is_slot && *text != '}');
        bool is_space = *text == ' ' && !is_slot;
        n += !is_space && !is_inside ? 1 : 0;
        is_inside = !is_space;
    }
    return n;
}

static void stories_are_many_and_short(void **state) {
    (void)state;
    Corpus corpus;
    load(&corpus);
    int n_words = 0;
    for (int i = 0; i < corpus.n_stories; i++) {
        int n = count_words(corpus.story_texts[i]);
        if (n < 60 || n > 150) {
            print_error("stories.txt:%d: %d words\n", corpus.story_lines[i], n);
        }
        assert_in_range(n, 60, 150);
        n_words += n;
    }
    printf("%d stories, %d words\n", corpus.n_stories, n_words);
    assert_true(corpus.n_stories >= 800);
    corpus_free(&corpus);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// How many bytes of a text its first n_words words are.
static size_t length_of_words(const char *text, int n_words) {
    const char *at = text;
    for (int i = 0; i < n_words && *at != '\0'; i++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return (size_t)(at - text);
}

// "{A} lived in a big garden" is how a text may begin that a reader wants continued.
static bool has_common_beginning(const char *text) {
    return strncmp(text, "{A} lived ", 10) == 0 || strncmp(text, "Once there was ", 15) == 0;
}

// No two begin with the same ten words, few with the same five.
static void no_two_stories_are_alike(void **state) {
    (void)state;
    Corpus corpus;
    load(&corpus);
    qsort((void *)corpus.story_texts, (size_t)corpus.n_stories, sizeof(const char *),
          compare_texts);
    int n_alike = 1;
    for (int i = 1; i < corpus.n_stories; i++) {
        const char *text = corpus.story_texts[i];
        const char *before = corpus.story_texts[i - 1];
        bool is_alike = strncmp(text, before, length_of_words(text, 10)) == 0;
        bool begins_alike = strncmp(text, before, length_of_words(text, 5)) == 0;
        n_alike = begins_alike && !has_common_beginning(text) ? n_alike + 1 : 1;
        if (is_alike || n_alike > 3) {
            print_error("alike: \"%.60s\"\n       \"%.60s\"\n", before, text);
        }
        assert_true(!is_alike && n_alike <= 3);
    }
    corpus_free(&corpus);
}

// ---- telling

static void tell(const Corpus *corpus, const CorpusChoice *choice, uint64_t seed, int n,
                 Buffer *text) {
    for (int i = 0; i < n; i++) {
        corpus_tell(corpus, choice, seed, (uint64_t)i, text);
        buffer_append_text(text, "\n");
    }
}

static void a_seed_tells_the_same_bytes(void **state) {
    (void)state;
    Corpus corpus;
    load(&corpus);
    Buffer texts[3];
    memset(texts, 0, sizeof texts);
    for (int i = 0; i < 3; i++) {
        tell(&corpus, &ALL, i < 2 ? 1 : 2, 2000, &texts[i]);
    }
    assert_int_equal(texts[0].length, texts[1].length);
    assert_memory_equal(texts[0].bytes, texts[1].bytes, texts[0].length);
    assert_string_not_equal(texts[0].bytes, texts[2].bytes);
    assert_null(strpbrk(texts[0].bytes, "{}[]|"));
    assert_null(strstr(texts[0].bytes, "  "));
    for (int i = 0; i < 3; i++) {
        buffer_free(&texts[i]);
    }
    corpus_free(&corpus);
}

// In the 24 MB of `make corpus`: the texts of each kind.
static void every_meaning_is_told_often(void **state) {
    (void)state;
    Corpus corpus;
    load(&corpus);
    size_t bytes = 0;
    uint64_t n = 0;
    Buffer text = {0};
    for (; bytes < 24000000; n++) {
        text.length = 0;
        corpus_tell(&corpus, &ALL, 1, n, &text);
        bytes += text.length + sizeof "\n<|endoftext|>\n" - 1;
    }
    buffer_free(&text);
    int total = 0;
    for (int i = 0; i < corpus.n_kinds; i++) {
        total += corpus.kinds[i].share;
    }
    for (int i = 0; i < corpus.n_kinds; i++) {
        uint64_t n_of_kind = n * (uint64_t)corpus.kinds[i].share / (uint64_t)total;
        printf("%-14s %6llu texts\n", corpus.kinds[i].name, (unsigned long long)n_of_kind);
        assert_true(n_of_kind >= 500);
    }
    corpus_free(&corpus);
}

// ---- small files made here

static void write_files(const char *folder, const char *words, const char *grammar,
                        const char *stories) {
    static const char *const NAMES[] = {"words.txt", "grammar.txt", "stories.txt"};
    const char *const texts[] = {words, grammar, stories};
    for (int i = 0; i < 3; i++) {
        Error err = {""};
        char *path = file_join(folder, NAMES[i]);
        support_require(file_save(path, texts[i], strlen(texts[i]), &err), &err);
        free(path);
    }
}

static void remove_files(const char *folder) {
    static const char *const NAMES[] = {"words.txt", "grammar.txt", "stories.txt"};
    for (int i = 0; i < 3; i++) {
        char *path = file_join(folder, NAMES[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
}

static const char WORDS[] = "girl: Ann, Eve\nboy: Bob, Dan\ngendered: he/she, his/her\n"
                            "toy: egg, ukulele, box\ntwo: kite, owl\n";
static const char GRAMMAR[] = "stories 1\n";

// Forty stories, "Story 0. ..." and so on.
static void write_numbered(Buffer *stories, const char *text) {
    for (int i = 0; i < 2 * CORPUS_HELD_OUT; i++) {
        buffer_format(stories, "Story %d.\n%s\n\n", i, text);
    }
}

static void held_out_stories_are_told_nowhere_else(void **state) {
    (void)state;
    char folder[] = "/tmp/attend-corpus-XXXXXX";
    assert_non_null(mkdtemp(folder));
    Buffer stories = {0};
    write_numbered(&stories, "{A} sat.");
    write_files(folder, WORDS, GRAMMAR, stories.bytes);
    Error err = {""};
    Corpus corpus;
    support_require(corpus_load(&corpus, folder, &err), &err);
    Buffer told = {0};
    Buffer held_out = {0};
    tell(&corpus, &ALL, 1, corpus.n_stories - 2, &told);
    tell(&corpus, &HELD_OUT, 1, 2, &held_out);
    const char *told_text = told.bytes == NULL ? "" : told.bytes;
    const char *held_out_text = held_out.bytes == NULL ? "" : held_out.bytes;
    for (int i = 0; i < corpus.n_stories; i++) {
        char beginning[32];
        snprintf(beginning, sizeof beginning, "Story %d.", i);
        bool is_held_out = strstr(held_out_text, beginning) != NULL;
        assert_int_equal(is_held_out, i % CORPUS_HELD_OUT == CORPUS_HELD_OUT - 1);
        assert_int_equal(strstr(told_text, beginning) == NULL, is_held_out);
    }
    buffer_free(&held_out);
    buffer_free(&told);
    buffer_free(&stories);
    corpus_free(&corpus);
    remove_files(folder);
}

// Everything that a slot can be, in both genders.
static void slots_agree(void **state) {
    (void)state;
    char folder[] = "/tmp/attend-corpus-XXXXXX";
    assert_non_null(mkdtemp(folder));
    Buffer stories = {0};
    write_numbered(&stories, "{A}, {A:his} {toy}, {A toy2}, {a toy3}; {B}: {B:He}; [{C}|{C}].");
    write_files(folder, WORDS, GRAMMAR, stories.bytes);
    Error err = {""};
    Corpus corpus;
    support_require(corpus_load(&corpus, folder, &err), &err);
    int n_girls = 0;
    for (uint64_t i = 0; i < 200; i++) {
        Buffer told = {0};
        corpus_tell(&corpus, &ALL, 1, i, &told);
        bool is_girl =
            strstr(told.bytes, "Ann, her ") != NULL || strstr(told.bytes, "Eve, her ") != NULL;
        n_girls += is_girl ? 1 : 0;
        assert_non_null(strstr(told.bytes, is_girl ? ": He; " : ": She; "));
        assert_true(strstr(told.bytes, "Ann") == NULL || strstr(told.bytes, "Eve") != NULL ||
                    !is_girl);
        assert_non_null(strstr(told.bytes, "egg"));
        assert_non_null(strstr(told.bytes, "ukulele"));
        assert_non_null(strstr(told.bytes, "box"));
        assert_null(strstr(told.bytes, "a egg"));
        assert_null(strstr(told.bytes, "n ukulele"));
        assert_null(strstr(told.bytes, "n box"));
        buffer_free(&told);
    }
    assert_in_range(n_girls, 60, 140);
    buffer_free(&stories);
    corpus_free(&corpus);
    remove_files(folder);
}

static void faults_name_file_and_line(void **state) {
    (void)state;
    static const char *const CASES[][4] = {
        {"toys", GRAMMAR, "", "words.txt:1: expected \"class: word, word\", found \"toys\""},
        {" kite\n", GRAMMAR, "", "words.txt:1: expected \"class: word, word\""},
        {"girl: Ann, Eve\n", GRAMMAR, "", "words.txt: expected two names or more in each of the"},
        {"gendered: he\n", GRAMMAR, "",
         "words.txt:1: expected a pair such as he/she, found \"he\""},
        {"thing: {toy}\n", GRAMMAR, "", "words.txt:1: expected a class above, found \"toy\""},
        {WORDS, "poem 3\n", "", "grammar.txt:1: expected \"rule NAME\", \"text NAME SHARE\" or"},
        {WORDS, "text a 0\n    b\n", "", "grammar.txt:1: expected \"rule NAME\""},
        {WORDS, "text a 1\n", "", "grammar.txt: text a: expected alternatives below it"},
        {WORDS, "rule a\ntext b 1\n    c\n", "", "grammar.txt: rule a: expected alternatives"},
        {WORDS, "    b\n", "", "grammar.txt:1: expected an alternative of a rule or text, after 4"},
        {WORDS, "text a 1\n  b\n", "", "grammar.txt:2: expected an alternative of a rule or text"},
        {WORDS, "text a 1\n    [b|c\n", "", "grammar.txt:2: expected ], found \"the end\""},
        {WORDS, "text a 1\n    b]\n", "", "grammar.txt:2: expected text or a slot, found \"]\""},
        {WORDS, "text a 1\n    {b}\nrule b\n    c\n", "",
         "grammar.txt:2: expected a person, a class of words.txt or a rule above, found \"b\""},
        {WORDS, GRAMMAR, "\nOne {toyy} two\n", "stories.txt:2: expected a person, a class of"},
        {WORDS, GRAMMAR, "One\nand {toy two\n", "stories.txt:1: expected a slot with its closing"},
        {WORDS, GRAMMAR, "One } two\n", "stories.txt:1: expected text or a slot, found \"} two\""},
        {WORDS, GRAMMAR, "{A:hers}\n", "stories.txt:1: expected a form that words.txt lists under"},
        {WORDS, GRAMMAR, "{toy} {toy4}\n", "stories.txt:1: expected a class with so many words"},
        {WORDS, GRAMMAR, "caf\xC3\xA9\n", "stories.txt:1: expected ASCII only"},
        {WORDS, "stories 0\n", "", "grammar.txt:1: expected \"rule NAME\""},
        {WORDS, "stories 2x\n", "", "grammar.txt:1: expected \"rule NAME\""},
        {WORDS, "rule\n", "", "grammar.txt:1: expected \"rule NAME\""},
        {WORDS, GRAMMAR, "One\n", "stories.txt: expected 20 stories or more, found 1"},
    };
    char folder[] = "/tmp/attend-corpus-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Error err = {""};
        Corpus corpus;
        write_files(folder, CASES[i][0], CASES[i][1], CASES[i][2]);
        assert_false(corpus_load(&corpus, folder, &err));
        if (strstr(err.text, CASES[i][3]) == NULL) {
            print_error("expected \"%s\", found \"%s\"\n", CASES[i][3], err.text);
        }
        assert_non_null(strstr(err.text, CASES[i][3]));
        corpus_free(&corpus);
    }
    remove_files(folder);
    Error err = {""};
    Corpus corpus;
    assert_false(corpus_load(&corpus, folder, &err));
    assert_non_null(strstr(err.text, "words.txt: cannot read: No such file"));
}

static void an_unknown_kind_is_refused(void **state) {
    (void)state;
    Error err = {""};
    Corpus corpus;
    load(&corpus);
    const CorpusChoice choice = {.kind = "poems"};
    assert_false(corpus_check(&corpus, &choice, &err));
    assert_string_equal(err.text, "\"poems\": no such kind of text in grammar.txt");
    corpus_free(&corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stories_are_many_and_short),
        cmocka_unit_test(no_two_stories_are_alike),
        cmocka_unit_test(a_seed_tells_the_same_bytes),
        cmocka_unit_test(every_meaning_is_told_often),
        cmocka_unit_test(held_out_stories_are_told_nowhere_else),
        cmocka_unit_test(slots_agree),
        cmocka_unit_test(faults_name_file_and_line),
        cmocka_unit_test(an_unknown_kind_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
