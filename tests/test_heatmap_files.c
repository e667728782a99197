// test_heatmap_files.c - a heatmap's numbers are kept in its files.
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_heatmap.h"
#include "views/pictures/heatmap_sink.h"

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void svg_keeps_numbers_colours_and_text(void **state) {
    (void)state;
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 6, HEATMAP_ENGLISH);
    fixture->values[0][0] = 1.0F / 3.0F;
    fixture->values[0][35] = -INFINITY;
    heatmap_scan(&fixture->heatmap, true);
    char *svg = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(heatmap_svg(&fixture->heatmap, &fixture->font, &svg, &size, &err), &err);
    assert_int_equal(size, strlen(svg));
    const char *at = svg;
    for (int j = 0; j < 36; j++) {
        at = strstr(at, "data-value=\"");
        assert_non_null(at);
        at += strlen("data-value=\"");
        assert_true(strtof(at, NULL) == fixture->values[0][j]);
    }
    assert_int_equal(count_of(svg, "data-value"), 36);
    assert_int_equal(count_of(svg, ">dog</text>"), 2);
    assert_int_equal(count_of(svg, ">&lt;&amp;&gt;</text>"), 2);
    assert_int_equal(count_of(svg, "<svg"), 1);
    assert_int_equal(count_of(svg, ">query</text>"), 1);
    assert_int_equal(count_of(svg, ">key</text>"), 1);
    assert_null(strstr(svg, "<&>"));
    free(svg);
    font_free(&fixture->font);
    free(fixture);
}

static void svg_of_many_cells_keeps_the_numbers_by_row(void **state) {
    (void)state;
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_GRID, 4, 64, HEATMAP_ENGLISH);
    char *svg = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(heatmap_svg(&fixture->heatmap, &fixture->font, &svg, &size, &err), &err);
    assert_int_equal(count_of(svg, "data-values=\""), 4 * 64);
    const char *at = svg;
    for (int i = 0; i < 4 * 64; i++) {
        at = strstr(at, "data-values=\"") + strlen("data-values=\"");
        for (int j = 0; j < 64; j++) {
            char *after = NULL;
            assert_true(strtof(at, &after) == fixture->values[i / 64][i % 64 * 64 + j]);
            at = after;
        }
        assert_int_equal(*at, '"');
    }
    assert_int_equal(count_of(svg, ">layer 1</text>"), 1);
    free(svg);
    font_free(&fixture->font);
    free(fixture);
}

static void csv_keeps_numbers_and_quotes_labels(void **state) {
    (void)state;
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_GRID, 4, 6, HEATMAP_ENGLISH);
    fixture->values[2][7] = 1.0F / 3.0F;
    fixture->values[3][1] = -INFINITY;
    char *csv = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(heatmap_csv(&fixture->heatmap, &csv, &size, &err), &err);
    assert_int_equal(count_of(csv, "\n"), 1 + 4 * 36);
    const char *header = "layer,head,query,key,value\n";
    assert_memory_equal(csv, header, strlen(header));
    assert_non_null(strstr(csv, "\n1,0,dog,dog,0.333333343\n"));
    assert_non_null(strstr(csv, "\n1,1,<s>,dog,-inf\n"));
    assert_non_null(strstr(csv, ",\"a,\"\"b\"\"\",\" the\","));
    const char *line = strchr(csv, '\n') + 1;
    for (int i = 0; i < 4 * 36; i++) {
        const char *end = strchr(line, '\n');
        const char *comma = end;
        while (*comma != ',') {
            comma--;
        }
        assert_true(strtof(comma + 1, NULL) == fixture->values[i / 36][i % 36]);
        line = end + 1;
    }
    free(csv);
    font_free(&fixture->font);
    free(fixture);
}

static void csv_and_svg_of_cross_attention_say_what_is_written_next(void **state) {
    (void)state;
    static const char *const NEXT[] = {"dog", "run", "a,b", "", "x", "y"};
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 6, HEATMAP_ENGLISH);
    fixture->heatmap.row_next = NEXT;
    char *text = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(heatmap_csv(&fixture->heatmap, &text, &size, &err), &err);
    const char *header = "layer,head,query,next,key,value\n";
    assert_memory_equal(text, header, strlen(header));
    assert_non_null(strstr(text, "\n0,0,<s>,dog,<s>,0\n"));
    assert_non_null(strstr(text, ",\"a,b\",<s>,"));
    free(text);
    support_require(heatmap_svg(&fixture->heatmap, &fixture->font, &text, &size, &err), &err);
    assert_non_null(strstr(text, "<title>query &lt;s&gt; → dog, key"));
    assert_non_null(strstr(text, "query: reads → writes"));
    assert_non_null(strstr(text, " → ?</text>")); // nothing follows yet
    free(text);
    font_free(&fixture->font);
    free(fixture);
}

static void a_name_says_what_is_written(void **state) {
    (void)state;
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 3, HEATMAP_ENGLISH);
    Error err = {0};
    assert_false(heatmap_save(&fixture->heatmap, &fixture->font, "picture.gif", &err));
    assert_string_equal(err.text, "picture.gif: expected a name that ends in .png, .svg or .csv");
    err = (Error){0};
    fixture->heatmap.n_columns = PICTURE_MAX_SIDE + 1;
    HeatmapLayout layout;
    assert_false(heatmap_layout(&fixture->heatmap, &fixture->font, &layout, &err));
    font_free(&fixture->font);
    free(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_keeps_numbers_colours_and_text),
        cmocka_unit_test(svg_of_many_cells_keeps_the_numbers_by_row),
        cmocka_unit_test(csv_keeps_numbers_and_quotes_labels),
        cmocka_unit_test(csv_and_svg_of_cross_attention_say_what_is_written_next),
        cmocka_unit_test(a_name_says_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
