// test_heatmap.c - a heatmap's colours are the palette's, its labels lie inside.
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_heatmap.h"
#include "views/pictures/heatmap_sink.h"
#include "views/pictures/png.h"

static Picture draw(HeatmapFixture *fixture, HeatmapLayout *layout) {
    Picture picture = {0};
    Error err = {0};
    support_require(heatmap_layout(&fixture->heatmap, &fixture->font, layout, &err), &err);
    support_require(heatmap_draw(&fixture->heatmap, &fixture->font, &picture, &err), &err);
    assert_int_equal(picture.width, layout->width);
    assert_int_equal(picture.height, layout->height);
    return picture;
}

// Every pixel of every cell, without digits; its first one with them.
static void assert_cells(const HeatmapFixture *fixture, const HeatmapLayout *layout,
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    for (int palette = 0; palette < PALETTE_COUNT; palette++) {
        for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
            heatmap_fixture_fill(fixture, FORMS[i], FORMS[i] == HEATMAP_ONE ? 1 : 4, SIZES[palette],
                                 HEATMAP_ENGLISH);
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_GRID, 4, N, HEATMAP_ENGLISH);
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

// Two heads of thirty tokens: each has its name. More of both: every second or third, and the
// picture says so.
static void several_heads_have_labels(void **state) {
    (void)state;
    static const int SIZES[][2] = {{2, 30}, {2, 64}, {4, 30}, {4, 64}};
    for (int i = 0; i < 4; i++) {
        HeatmapFixture *fixture = malloc(sizeof *fixture);
        heatmap_fixture_fill(fixture, HEATMAP_HEADS, SIZES[i][0], SIZES[i][1], HEATMAP_ENGLISH);
        fixture->heatmap.panel_rows = 1;
        HeatmapLayout layout;
        char subtitle[HEATMAP_TITLE_BYTES];
        Picture picture = draw(fixture, &layout);
        heatmap_subtitle(&fixture->heatmap, &layout, subtitle);
        bool is_whole = i == 0;
        assert_true(layout.shows_tokens);
        assert_true(is_whole == (layout.row_label_step == 1 && layout.column_label_step == 1));
        assert_true(layout.row_label_step * layout.cell_height >= 15);
        assert_true(is_whole == (strstr(subtitle, "named is one query of every ") == NULL));
        assert_true(picture.width < 1500 && picture.height < 1500);
        picture_free(&picture);
        font_free(&fixture->font);
        free(fixture);
    }
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    const TextStyle style = {.column = HEATMAP_LABEL_COLUMN};
    for (int form = HEATMAP_ONE; form <= HEATMAP_GRID; form++) {
        heatmap_fixture_fill(fixture, (HeatmapForm)form, form == HEATMAP_ONE ? 1 : 4, 6,
                             HEATMAP_LONG);
        fixture->heatmap.title =
            "一个很长的标题 that goes on and on, much longer than any picture of "
            "three small words would be, and then goes on for a while";
        HeatmapLayout layout;
        Picture picture = draw(fixture, &layout);
        assert_white_edge(&picture);
        assert_true(layout.labels_read_up);
        int longest = font_width(&fixture->font, &style, HEATMAP_LONG[1]);
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 1, HEATMAP_ENGLISH);
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 3, HEATMAP_ENGLISH);
    fixture->values[0][1] = -INFINITY;
    fixture->values[0][2] = NAN;
    fixture->values[0][3] = -2.5F;
    heatmap_scan(&fixture->heatmap, false);
    assert_true(fixture->heatmap.range.minimum == -2.5F);
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
    assert_true(fixture->heatmap.range.minimum == 0.0F && fixture->heatmap.range.maximum == 1.0F);
    font_free(&fixture->font);
    free(fixture);
}

// The colour of the middle of a cell of the first panel.
static Rgb colour_of_cell(const Picture *picture, const HeatmapLayout *layout, int row,
                          int column) {
    const unsigned char *pixel =
        picture_pixel(picture, layout->first_x + column * layout->cell_width + 1,
                      layout->first_y + row * layout->cell_height + 1);
    return (Rgb){pixel[0], pixel[1], pixel[2]};
}

static void each_row_may_have_its_own_scale(void **state) {
    (void)state;
    static const float VALUES[9] = {0.0F, 0.5F, 1.0F, 0.02F, 0.02F, 0.06F, 0.7F, 0.7F, 0.7F};
    static const int ENTRIES[9] = {0, 128, 255, 0, 0, 255, 0, 0, 0};
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 3, HEATMAP_ENGLISH);
    memcpy(fixture->values[0], VALUES, sizeof VALUES);
    fixture->heatmap.scale = HEAT_PER_ROW;
    heatmap_scan(&fixture->heatmap, true);
    HeatmapLayout layout;
    Picture picture = draw(fixture, &layout);
    for (int i = 0; i < 9; i++) {
        Rgb expected = palette_colour(PALETTE_VIRIDIS, ENTRIES[i]);
        Rgb found = colour_of_cell(&picture, &layout, i / 3, i % 3);
        assert_memory_equal(&found, &expected, sizeof found);
    }
    assert_white_edge(&picture);
    picture_free(&picture);
    char *svg = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(heatmap_svg(&fixture->heatmap, &fixture->font, &svg, &size, &err), &err);
    assert_non_null(strstr(svg, "attention weight, each row"));
    assert_non_null(strstr(svg, "each row on its own"));
    assert_non_null(strstr(svg, "fill=\"#fde725\" data-value=\"0.0599999987\""));
    free(svg);
    font_free(&fixture->font);
    free(fixture);
}

static void two_runs_give_the_same_bytes(void **state) {
    (void)state;
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    unsigned char *bytes[2] = {0};
    size_t sizes[2] = {0};
    for (int run = 0; run < 2; run++) {
        heatmap_fixture_fill(fixture, HEATMAP_HEADS, 4, 6, HEATMAP_LONG);
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
    HeatmapFixture *fixture = malloc(sizeof *fixture);
    heatmap_fixture_fill(fixture, HEATMAP_ONE, 1, 6, HEATMAP_LONG);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_has_the_colour_of_its_entry),
        cmocka_unit_test(cells_of_a_grid_may_be_one_pixel),
        cmocka_unit_test(several_heads_have_labels),
        cmocka_unit_test(long_and_chinese_labels_lie_inside),
        cmocka_unit_test(a_title_that_cannot_be_broken_widens_the_picture),
        cmocka_unit_test(what_is_not_finite_is_in_the_legend),
        cmocka_unit_test(each_row_may_have_its_own_scale),
        cmocka_unit_test(two_runs_give_the_same_bytes),
        cmocka_unit_test(a_picture_needs_no_font_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
