// test_heatmap.c - a heatmap's colours are the palette's, its labels lie inside, its numbers are
// kept.
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "views/pictures/heatmap_sink.h"
#include "views/pictures/png.h"

enum { MOST_CELLS = 64 * 64, MOST_LABELS = 64 };

static const char *const ENGLISH[] = {"<s>", "dog", "run", "a,\"b\"", " the", "<&>"};
static const char *const LONG[] = {
    "狗跑得很快但是猫在睡觉",
    "supercalifragilisticexpialidocious-supercalifragilisticexpialidocious",
    "▁internationalization",
    "Ġ",
    "é̈",
    "\x1b[31m\n"};

typedef struct Fixture {
    Heatmap heatmap;
    HeatmapPanel panels[4];
    float values[4][MOST_CELLS];
    const char *labels[MOST_LABELS];
    Font font;
} Fixture;

static void fixture_fill(Fixture *fixture, HeatmapForm form, int n_panels, int n,
                         const char *const *labels) {
    memset(fixture, 0, sizeof *fixture);
    for (int i = 0; i < n; i++) {
        fixture->labels[i] = labels[i % 6];
    }
    for (int i = 0; i < n_panels; i++) {
        for (int j = 0; j < n * n; j++) {
            fixture->values[i][j] = (float)((j * 37 + i * 11) % 101) / 100.0F;
        }
        fixture->panels[i] = (HeatmapPanel){fixture->values[i], form == HEATMAP_GRID ? i / 2 : 0,
                                            form == HEATMAP_GRID ? i % 2 : i};
    }
    fixture->heatmap = (Heatmap){.model = "toy-copy",
                                 .stage = "encoder.*.self_attn.weights",
                                 .form = form,
                                 .panels = fixture->panels,
                                 .panel_rows = 2,
                                 .panel_columns = 2,
                                 .n_panels = n_panels,
                                 .n_heads = 2,
                                 .n_rows = n,
                                 .n_columns = n,
                                 .row_labels = fixture->labels,
                                 .column_labels = fixture->labels,
                                 .row_axis = "query",
                                 .column_axis = "key",
                                 .quantity = "attention weight"};
    heatmap_scan(&fixture->heatmap, true);
    Error err = {0};
    support_require(font_init(&fixture->font, NULL, &err), &err);
}

static Picture draw(Fixture *fixture, HeatmapLayout *layout) {
    Picture picture = {0};
    Error err = {0};
    support_require(heatmap_layout(&fixture->heatmap, &fixture->font, layout, &err), &err);
    support_require(heatmap_draw(&fixture->heatmap, &fixture->font, &picture, &err), &err);
    assert_int_equal(picture.width, layout->width);
    assert_int_equal(picture.height, layout->height);
    return picture;
}

// Every pixel of every cell, without digits; its first one with them.
static void assert_cells(const Fixture *fixture, const HeatmapLayout *layout,
                         const Picture *picture) {
    const Heatmap *heatmap = &fixture->heatmap;
    for (int i = 0; i < heatmap->n_panels; i++) {
        int x = layout->first_x + i % layout->panel_columns * layout->pitch_x;
        int y = layout->first_y + i / layout->panel_columns * layout->pitch_y;
        for (int j = 0; j < heatmap->n_rows * heatmap->n_columns; j++) {
            float value = heatmap->panels[i].values[j];
            int entry = (int)floor(255.0 * (double)value + 0.5);
            Rgb colour = palette_colour(heatmap->palette, entry);
            int left = x + j % heatmap->n_columns * layout->cell_width;
            int top = y + j / heatmap->n_columns * layout->cell_height;
            int pixels = heatmap->shows_values ? 1 : layout->cell_width * layout->cell_height;
            for (int k = 0; k < pixels; k++) {
                const unsigned char *pixel = picture_pixel(picture, left + k % layout->cell_width,
                                                           top + k / layout->cell_width);
                assert_memory_equal(pixel, &colour, 3);
            }
        }
    }
}

static void every_cell_has_the_colour_of_its_entry(void **state) {
    (void)state;
    static const HeatmapForm FORMS[] = {HEATMAP_ONE, HEATMAP_HEADS, HEATMAP_GRID};
    static const int SIZES[] = {1, 3, 20, 64};
    Fixture *fixture = malloc(sizeof *fixture);
    for (int palette = 0; palette < PALETTE_COUNT; palette++) {
        for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
            fixture_fill(fixture, FORMS[i], FORMS[i] == HEATMAP_ONE ? 1 : 4, SIZES[palette],
                         ENGLISH);
            fixture->heatmap.palette = (Palette)palette;
            HeatmapLayout layout;
            Picture picture = draw(fixture, &layout);
            assert_cells(fixture, &layout, &picture);
            picture_free(&picture);
            fixture->heatmap.shows_values = SIZES[palette] < 20;
            picture = draw(fixture, &layout);
            assert_cells(fixture, &layout, &picture);
            picture_free(&picture);
            font_free(&fixture->font);
        }
    }
    free(fixture);
}

static void cells_of_a_grid_may_be_one_pixel(void **state) {
    (void)state;
    enum { N_HEADS = 12, N = 64 };
    float *values = calloc((size_t)N * N, sizeof *values);
    HeatmapPanel panels[N_HEADS];
    for (int i = 0; i < N_HEADS; i++) {
        panels[i] = (HeatmapPanel){values, 0, i};
    }
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_GRID, 4, N, ENGLISH);
    fixture->heatmap.panels = panels;
    fixture->heatmap.n_panels = N_HEADS;
    fixture->heatmap.panel_rows = 1;
    fixture->heatmap.panel_columns = N_HEADS;
    HeatmapLayout layout;
    Picture picture = draw(fixture, &layout);
    assert_int_equal(layout.cell_width, 1);
    assert_int_equal(layout.cell_height, 1);
    assert_false(layout.shows_tokens);
    picture_free(&picture);
    font_free(&fixture->font);
    free(fixture);
    free(values);
}

static bool is_paper(const Picture *picture, Rect rect) {
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        for (int x = rect.x; x < rect.x + rect.width; x++) {
            const unsigned char *pixel = picture_pixel(picture, x, y);
            if (pixel[0] != 255 || pixel[1] != 255 || pixel[2] != 255) {
                return false;
            }
        }
    }
    return true;
}

static void assert_white_edge(const Picture *picture) {
    enum { EDGE = 8 };
    int width = picture->width;
    int height = picture->height;
    assert_true(is_paper(picture, (Rect){0, 0, width, EDGE}));
    assert_true(is_paper(picture, (Rect){0, height - EDGE, width, EDGE}));
    assert_true(is_paper(picture, (Rect){0, 0, EDGE, height}));
    assert_true(is_paper(picture, (Rect){width - EDGE, 0, EDGE, height}));
}

static void long_and_chinese_labels_lie_inside(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    const TextStyle style = {.column = HEATMAP_LABEL_COLUMN};
    for (int form = HEATMAP_ONE; form <= HEATMAP_GRID; form++) {
        fixture_fill(fixture, (HeatmapForm)form, form == HEATMAP_ONE ? 1 : 4, 6, LONG);
        fixture->heatmap.title =
            "一个很长的标题 that goes on and on, much longer than any picture of "
            "three small words would be, and then goes on for a while";
        HeatmapLayout layout;
        Picture picture = draw(fixture, &layout);
        assert_white_edge(&picture);
        assert_true(layout.labels_read_up);
        int longest = font_width(&fixture->font, &style, LONG[1]);
        assert_int_equal(layout.row_label_width, longest);
        assert_int_equal(layout.column_label_height, longest);
        // The first letter of the longest label, beside its row and above its column.
        int left = layout.first_x - HEATMAP_GAP - longest;
        int top = layout.first_y - HEATMAP_GAP - longest;
        Rect first = {left, layout.first_y + layout.cell_height, 8, layout.cell_height};
        Rect last = {layout.first_x + layout.cell_width, top, layout.cell_width, 8};
        assert_false(is_paper(&picture, first));
        assert_false(is_paper(&picture, last));
        picture_free(&picture);
        font_free(&fixture->font);
    }
    free(fixture);
}

static void a_title_that_cannot_be_broken_widens_the_picture(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_ONE, 1, 1, ENGLISH);
    HeatmapLayout layout;
    Picture picture = draw(fixture, &layout);
    assert_white_edge(&picture);
    picture_free(&picture);
    fixture->heatmap.model = "一个很长的模型名字和一个很长的句子放在一起看看它会不会超出图片";
    picture = draw(fixture, &layout);
    assert_white_edge(&picture);
    assert_true(picture.width > 460);
    picture_free(&picture);
    font_free(&fixture->font);
    free(fixture);
}

static void what_is_not_finite_is_in_the_legend(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_ONE, 1, 3, ENGLISH);
    fixture->values[0][1] = -INFINITY;
    fixture->values[0][2] = NAN;
    fixture->values[0][3] = -2.5F;
    heatmap_scan(&fixture->heatmap, false);
    assert_true(fixture->heatmap.minimum == -2.5F);
    assert_true(fixture->heatmap.has_masked && fixture->heatmap.has_nan);
    assert_false(fixture->heatmap.has_infinite);
    HeatmapLayout layout;
    Picture picture = draw(fixture, &layout);
    Rgb masked = palette_colour(PALETTE_VIRIDIS, HEAT_MASKED);
    int below = layout.bar.y + layout.bar.height + 14;
    int found = 0;
    for (int x = layout.bar.x; x < layout.bar.x + layout.bar.width; x++) {
        found += memcmp(picture_pixel(&picture, x, below + 5), &masked, 3) == 0;
    }
    assert_true(found > 4);
    assert_false(is_paper(&picture, (Rect){layout.bar.x + 20, below, 60, 14}));
    assert_white_edge(&picture);
    picture_free(&picture);
    for (int j = 0; j < 9; j++) {
        fixture->values[0][j] = NAN;
    }
    heatmap_scan(&fixture->heatmap, false);
    assert_true(fixture->heatmap.minimum == 0.0F && fixture->heatmap.maximum == 1.0F);
    font_free(&fixture->font);
    free(fixture);
}

static void two_runs_give_the_same_bytes(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    unsigned char *bytes[2] = {0};
    size_t sizes[2] = {0};
    for (int run = 0; run < 2; run++) {
        fixture_fill(fixture, HEATMAP_HEADS, 4, 6, LONG);
        HeatmapLayout layout;
        Picture picture = draw(fixture, &layout);
        Error err = {0};
        support_require(png_encode(&picture, &bytes[run], &sizes[run], &err), &err);
        picture_free(&picture);
        font_free(&fixture->font);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
    free(fixture);
}

static void a_picture_needs_no_font_file(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_ONE, 1, 6, LONG);
    font_free(&fixture->font);
    Error err = {0};
    support_require(font_init(&fixture->font, "builtin", &err), &err);
    HeatmapLayout layout;
    Picture picture = draw(fixture, &layout);
    assert_white_edge(&picture);
    assert_cells(fixture, &layout, &picture);
    picture_free(&picture);
    font_free(&fixture->font);
    free(fixture);
}

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void svg_keeps_numbers_colours_and_text(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_ONE, 1, 6, ENGLISH);
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
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_GRID, 4, 64, ENGLISH);
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
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_GRID, 4, 6, ENGLISH);
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

static void a_name_says_what_is_written(void **state) {
    (void)state;
    Fixture *fixture = malloc(sizeof *fixture);
    fixture_fill(fixture, HEATMAP_ONE, 1, 3, ENGLISH);
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
        cmocka_unit_test(every_cell_has_the_colour_of_its_entry),
        cmocka_unit_test(cells_of_a_grid_may_be_one_pixel),
        cmocka_unit_test(long_and_chinese_labels_lie_inside),
        cmocka_unit_test(a_title_that_cannot_be_broken_widens_the_picture),
        cmocka_unit_test(what_is_not_finite_is_in_the_legend),
        cmocka_unit_test(two_runs_give_the_same_bytes),
        cmocka_unit_test(a_picture_needs_no_font_file),
        cmocka_unit_test(svg_keeps_numbers_colours_and_text),
        cmocka_unit_test(svg_of_many_cells_keeps_the_numbers_by_row),
        cmocka_unit_test(csv_keeps_numbers_and_quotes_labels),
        cmocka_unit_test(a_name_says_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
