// test_formula_words.c - every op's formula, every note and every sentence exists in each language.
#include "tests/support_ops.h"

#include <ctype.h>
#include <string.h>

#include "views/formulas.h"

// Letters of formulas that are longer than two: names of stages, of steps of an explanation, of
// functions.
static const char *const LETTERS[] = {
    "exp",      "max",       "tanh",    "sin",    "cos",      "ids",     "table",  "dtable",
    "target",   "loss",      "dloss",   "scale",  "part",     "lse",     "weight", "dweight",
    "bias",     "mean",      "clip",    "factor", "variance", "first",   "log",    "probs",
    "position", "deviation", "decay",   "dlog",   "softmax",  "sigmoid", "ReLU",   "GELU",
    "AdamW",    "SGD",       "dropout", "place",  "middle",
    "forward", // the name of a stage in a case
};

static bool is_letter_of_a_formula(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof LETTERS / sizeof LETTERS[0]; i++) {
        if (strlen(LETTERS[i]) == length && strncmp(word, LETTERS[i], length) == 0) {
            return true;
        }
    }
    return length < 3;
}

// Fails at an English word; names of stages have dots.
static void assert_no_english(const char *what, const char *text) {
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        bool is_stage = false;
        while (isalnum((unsigned char)at[length]) || at[length] == '.' || at[length] == '_') {
            is_stage = is_stage || at[length] == '.' || isdigit((unsigned char)at[length]) ||
                       at[length] == '_';
            length++;
        }
        if (length > 0 && !is_stage && !is_letter_of_a_formula(at, length)) {
            fail_msg("%s: \"%.*s\" is English: %s", what, (int)length, at, text);
        }
        at += length > 0 ? length : 1;
    }
}

static bool has_chinese(const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0xE4 && byte <= 0xE9) { // U+4000 to U+9FFF
            return true;
        }
    }
    return false;
}

static void every_op_has_a_name_and_a_formula_in_chinese(void **state) {
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        char line[FORMULA_BYTES];
        const char *name = formula_op_name((OpKind)op, LANGUAGE_ZH);
        if (name == NULL || !has_chinese(name)) {
            fail_msg("%s has no name in Chinese", OPS[op]->name);
        }
        assert_string_equal(formula_op_name((OpKind)op, LANGUAGE_EN), OPS[op]->name);
        assert_string_equal(formula_in((OpKind)op, OPS[op]->formula, LANGUAGE_EN, line),
                            OPS[op]->formula);
        formula_line((OpKind)op, OPS[op]->formula, LANGUAGE_ZH, line);
        assert_no_english(OPS[op]->name, line);
    }
}

// The formulas that depend on the node's arguments too.
static void check_case(const OpCase *test) {
    Bench bench;
    bench_open(&bench, TAPE_WATCH);
    Node *node = test->build(&bench);
    assert_non_null(node);
    char formula[OP_FORMULA_BYTES];
    char line[FORMULA_BYTES];
    formula_line(node->op, op_formula(node, formula), LANGUAGE_ZH, line);
    assert_no_english(test->what, line);
    bench_close(&bench);
}

static void formulas_of_nodes_are_chinese_too(void **state) {
    (void)state;
    op_cases_each(check_case);
}

static void every_note_and_sentence_exists_in_both_languages(void **state) {
    (void)state;
    for (int note = EXPLAIN_NOTE_NONE + 1; note <= EXPLAIN_NOTE_EDITED; note++) {
        const char *chinese = sentence_for_note((ExplainNote)note, LANGUAGE_ZH);
        assert_true(strlen(sentence_for_note((ExplainNote)note, LANGUAGE_EN)) > 0);
        assert_true(has_chinese(chinese));
        assert_no_english("note", chinese);
    }
    Node node = {.phase = PHASE_FORWARD};
    for (int role = 0; role < ROLE_COUNT; role++) {
        node.role = (Role)role;
        assert_true(strlen(sentence_for_node(&node, LANGUAGE_EN)) > 0);
        assert_true(has_chinese(sentence_for_node(&node, LANGUAGE_ZH)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_has_a_name_and_a_formula_in_chinese),
        cmocka_unit_test(formulas_of_nodes_are_chinese_too),
        cmocka_unit_test(every_note_and_sentence_exists_in_both_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
