// test_canvas.c - cells, clipping, wide glyphs, cleaned text, themes.
#include "tests/support.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "views/pictures/canvas_picture.h"
#include "views/canvas_text.h"

static Canvas canvas_of(int width, int height) {
    Canvas canvas = {0};
    Error err = {0};
    support_require(canvas_init(&canvas, width, height, &err), &err);
    return canvas;
}

static void assert_row(const Canvas *canvas, int y, const char *expected) {
    char text[1024] = "";
    size_t length = 0;
    for (int x = 0; x < canvas->width; x++) {
        const char *glyph = canvas_cell(canvas, x, y)->glyph;
        memcpy(text + length, glyph, strlen(glyph) + 1);
        length += strlen(glyph);
    }
    assert_string_equal(text, expected);
}

static void text_is_cut_at_every_edge(void **state) {
    (void)state;
    Canvas canvas = canvas_of(5, 2);
    assert_int_equal(canvas_text(&canvas, -2, 0, STYLE_TEXT, "abcdefghij"), 8);
    canvas_text(&canvas, 0, -1, STYLE_TEXT, "above");
    canvas_text(&canvas, 0, 2, STYLE_TEXT, "below");
    canvas_text(&canvas, 5, 1, STYLE_TEXT, "right");
    assert_row(&canvas, 0, "cdef…"); // and the right edge says so
    assert_row(&canvas, 1, "     ");
    canvas_free(&canvas);
}

static void what_does_not_show_is_counted(void **state) {
    (void)state;
    Canvas canvas = canvas_of(8, 4);
    CanvasCut cut = {.lines_below = 0};
    canvas.cut = &cut;
    Canvas part = canvas_part(&canvas, (Rect){0, 1, 8, 9});
    canvas_text(&part, 0, 2, STYLE_TEXT, "the last");
    canvas_text(&part, 0, 5, STYLE_TEXT, "   ");
    canvas_text(&part, 8, 1, STYLE_TEXT, " ");
    assert_int_equal(cut.lines_below, 0);
    assert_int_equal(cut.texts_beside, 0);
    canvas_text(&part, 0, 3, STYLE_TEXT, "one");
    canvas_text(&part, 8, 1, STYLE_TEXT, "beside");
    assert_int_equal(cut.lines_below, 1);
    assert_int_equal(cut.texts_beside, 1);
    assert_int_equal(canvas_paragraph(&part, (Rect){0, 2, 8, 99}, STYLE_TEXT, "aaaaaa bbbbbb c"),
                     2);
    assert_int_equal(cut.lines_below, 1);
    canvas_paragraph(&part, (Rect){0, 0, 8, 1}, STYLE_TEXT, "aaaaaaaa bbbbbbbb cccccccc");
    assert_int_equal(cut.lines_below, 2);
    canvas_text_in(&part, 0, 7, 4, ALIGN_LEFT, STYLE_TEXT, "x");
    assert_int_equal(cut.lines_below, 5);
    canvas_free(&canvas);
}

static void half_a_wide_glyph_is_a_space(void **state) {
    (void)state;
    Canvas canvas = canvas_of(5, 1);
    canvas_text(&canvas, -1, 0, STYLE_TEXT, "狗跑猫");
    assert_row(&canvas, 0, " 跑猫");
    canvas_text(&canvas, 2, 0, STYLE_TEXT, "x");
    assert_row(&canvas, 0, "  x猫");
    canvas_text(&canvas, 3, 0, STYLE_TEXT, "y");
    assert_row(&canvas, 0, "  xy ");
    canvas_text(&canvas, 4, 0, STYLE_TEXT, "狗");
    assert_row(&canvas, 0, "  xy…");
    canvas_free(&canvas);
}

static void a_part_draws_only_in_itself(void **state) {
    (void)state;
    Canvas canvas = canvas_of(8, 3);
    Canvas part = canvas_part(&canvas, (Rect){2, 1, 3, 5});
    canvas_fill(&part, (Rect){-9, -9, 99, 99}, STYLE_DIM, "#");
    canvas_text(&part, 1, 0, STYLE_TEXT, "wide");
    Canvas inner = canvas_part(&part, (Rect){2, 1, 40, 40});
    canvas_text(&inner, 0, 0, STYLE_TEXT, "zz");
    assert_null(canvas_cell(&inner, 1, 0));
    assert_row(&canvas, 0, "        ");
    assert_row(&canvas, 1, "  #w…   ");
    assert_row(&canvas, 2, "  ##z   ");
    canvas_clear(&part, STYLE_TEXT);
    assert_row(&canvas, 2, "        ");
    canvas_free(&canvas);
}

static void control_codes_and_direction_marks_never_reach_a_cell(void **state) {
    (void)state;
    Canvas canvas = canvas_of(12, 1);
    char text[32] = "a\x1b[2J\n\t\x7f\xc2\x9b***\xff!";
    memcpy(strstr(text, "***"), (const char[]){(char)0xE2, (char)0x80, (char)0xAE}, 3); // U+202E
    canvas_text(&canvas, 0, 0, STYLE_TEXT, text);
    assert_row(&canvas, 0, "a␛[2J␊␉␡\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!");
    canvas_free(&canvas);
}

static void marks_stay_on_their_letter(void **state) {
    (void)state;
    Canvas canvas = canvas_of(5, 1);
    canvas_text(&canvas, 0, 0, STYLE_TEXT, "e\xcc\x81z\xe2\x80\x8dk");
    assert_string_equal(canvas_cell(&canvas, 0, 0)->glyph, "e\xcc\x81");
    assert_string_equal(canvas_cell(&canvas, 1, 0)->glyph, "z");
    assert_string_equal(canvas_cell(&canvas, 2, 0)->glyph, "k");
    canvas_text(&canvas, 0, 0, STYLE_TEXT, "\xcc\x81");
    assert_string_equal(canvas_cell(&canvas, 0, 0)->glyph, " \xcc\x81");
    // A hundred marks on one letter do not run over.
    char tower[512] = "o";
    for (int i = 0; i < 100; i++) {
        tower[1 + 2 * i] = (char)0xCC; // U+0308
        tower[2 + 2 * i] = (char)0x88;
    }
    canvas_text(&canvas, 0, 0, STYLE_TEXT, tower);
    assert_true(strlen(canvas_cell(&canvas, 0, 0)->glyph) < TEXT_CLUSTER_BYTES);
    assert_string_equal(canvas_cell(&canvas, 1, 0)->glyph, "z");
    canvas_free(&canvas);
}

static void a_box_gives_the_room_inside(void **state) {
    (void)state;
    Canvas canvas = canvas_of(14, 3);
    Canvas inside = canvas_box(&canvas, (Rect){0, 0, 14, 3}, STYLE_BORDER, "tape", "BT");
    assert_int_equal(inside.width, 12);
    assert_int_equal(inside.height, 1);
    canvas_text(&inside, 0, 0, STYLE_TEXT, "0123456789abcdef");
    assert_row(&canvas, 0, "┌ tape ── BT ┐");
    assert_row(&canvas, 1, "│0123456789a…│");
    assert_row(&canvas, 2, "└────────────┘");
    canvas.ascii = true;
    canvas_box(&canvas, (Rect){0, 0, 14, 3}, STYLE_BORDER, "a much too long title", "BT");
    assert_row(&canvas, 0, "+ a much to~ +");
    canvas_box(&canvas, (Rect){0, 0, 1, 1}, STYLE_BORDER, "t", NULL);
    canvas_free(&canvas);
}

static void long_text_ends_in_an_ellipsis(void **state) {
    (void)state;
    Canvas canvas = canvas_of(6, 1);
    canvas_text_in(&canvas, 0, 0, 6, ALIGN_LEFT, STYLE_TEXT, "attention");
    assert_row(&canvas, 0, "atten…");
    canvas_text_in(&canvas, 0, 0, 6, ALIGN_LEFT, STYLE_TEXT, "狗跑猫睡");
    assert_row(&canvas, 0, "狗跑… ");
    canvas_clear(&canvas, STYLE_TEXT);
    canvas_text_in(&canvas, 0, 0, 6, ALIGN_RIGHT, STYLE_TEXT, "key");
    assert_row(&canvas, 0, "   key");
    canvas_text_in(&canvas, 0, 0, 0, ALIGN_LEFT, STYLE_TEXT, "nothing");
    canvas_free(&canvas);
}

static void prose_breaks_at_spaces_and_between_chinese_characters(void **state) {
    (void)state;
    Canvas canvas = canvas_of(10, 4);
    Rect all = {0, 0, 10, 4};
    assert_int_equal(canvas_paragraph(&canvas, all, STYLE_TEXT, "Every word asks\nevery word"), 3);
    assert_row(&canvas, 0, "Every word");
    assert_row(&canvas, 1, "asks      ");
    assert_row(&canvas, 2, "every word");
    canvas_clear(&canvas, STYLE_TEXT);
    assert_int_equal(canvas_paragraph(&canvas, all, STYLE_TEXT, "每个词都问每个词"), 2);
    assert_row(&canvas, 0, "每个词都问");
    canvas_clear(&canvas, STYLE_TEXT);
    canvas_paragraph(&canvas, all, STYLE_TEXT, "每个词都问，对");
    assert_row(&canvas, 0, "每个词都  ");
    assert_row(&canvas, 1, "问，对    ");
    assert_int_equal(canvas_paragraph(NULL, (Rect){0, 0, 1, 0}, STYLE_TEXT, "狗狗"), 2);
    assert_int_equal(canvas_paragraph(NULL, (Rect){0, 0, 4, 0}, STYLE_TEXT, "unbreakable"), 3);
    canvas_free(&canvas);
}

static void heat_comes_before_style(void **state) {
    (void)state;
    Canvas canvas = canvas_of(3, 1);
    canvas_text(&canvas, 0, 0, STYLE_NUMBER, "1.0");
    canvas_set_heat(&canvas, (Rect){1, 0, 1, 1}, PALETTE_GRAY, HEAT_NONE, 250);
    Rgb ink;
    Rgb paper;
    unsigned attributes = 0;
    cell_colours(canvas_cell(&canvas, 1, 0), THEME_DARK, &ink, &paper, &attributes);
    assert_memory_equal(&paper, (&(Rgb){250, 250, 250}), sizeof paper);
    assert_memory_equal(&ink, (&(Rgb){0, 0, 0}), sizeof ink);
    canvas_add_attributes(&canvas, (Rect){1, 0, 1, 1}, LOOK_REVERSE | LOOK_BOLD);
    cell_colours(canvas_cell(&canvas, 1, 0), THEME_DARK, &ink, &paper, &attributes);
    assert_memory_equal(&ink, (&(Rgb){250, 250, 250}), sizeof ink);
    assert_int_equal(attributes, LOOK_BOLD);
    cell_colours(canvas_cell(&canvas, 0, 0), THEME_DARK, &ink, &paper, NULL);
    Look look = theme_look(THEME_DARK, STYLE_NUMBER);
    assert_memory_equal(&ink, &look.ink, sizeof ink);
    canvas_set_heat(&canvas, (Rect){2, 0, 1, 1}, PALETTE_GRAY, HEAT_NONE, 250);
    canvas_set_style(&canvas, (Rect){2, 0, 1, 1}, STYLE_CURSOR);
    cell_colours(canvas_cell(&canvas, 2, 0), THEME_DARK, &ink, &paper, NULL);
    look = theme_look(THEME_DARK, STYLE_CURSOR);
    assert_memory_equal(&paper, &look.paper, sizeof paper);
    canvas_free(&canvas);
}

static void every_style_can_be_read_in_every_theme(void **state) {
    (void)state;
    char seen[STYLE_COUNT + 1] = "";
    for (int style = 0; style < STYLE_COUNT; style++) {
        for (int theme = 0; theme < THEME_COUNT; theme++) {
            Look look = theme_look((ThemeName)theme, (Style)style);
            double contrast = palette_contrast(look.ink, look.paper);
            double wanted = style == STYLE_BORDER ? 3.0 : 4.5;
            if (contrast < wanted) {
                fail_msg("style %c in %s: contrast %.2f", theme_style_letter((Style)style),
                         theme_name((ThemeName)theme), contrast);
            }
        }
        char letter = theme_style_letter((Style)style);
        assert_null(strchr(seen, letter));
        seen[style] = letter;
    }
}

static void a_frame_shows_glyphs_styles_and_heat(void **state) {
    (void)state;
    Canvas canvas = canvas_of(6, 2);
    canvas_text(&canvas, 0, 0, STYLE_QUERY_LABEL, "狗");
    canvas_text(&canvas, 3, 0, STYLE_NUMBER, "0.5");
    canvas_set_heat(&canvas, (Rect){3, 0, 2, 1}, PALETTE_VIRIDIS, HEAT_NONE, 128);
    canvas_set_heat(&canvas, (Rect){5, 0, 1, 1}, PALETTE_VIRIDIS, HEAT_MASKED, HEAT_NONE);
    char *text = NULL;
    size_t length = 0;
    Error err = {0};
    support_require(canvas_to_frame(&canvas, &text, &length, &err), &err);
    assert_string_equal(text, "狗 0.5\n\n-- styles\nqq.nnn\n\n-- heat\n......8080--\n\n");
    free(text);
    Canvas part = canvas_part(&canvas, (Rect){3, 0, 9, 1});
    support_require(canvas_to_text(&part, &text, &length, &err), &err);
    assert_string_equal(text, "0.5\n");
    assert_int_equal(length, 4);
    free(text);
    canvas_free(&canvas);
}

static const unsigned char *cell_pixel(const Picture *picture, int column, int row, int x, int y) {
    return picture_pixel(picture, CANVAS_MARGIN + column * CANVAS_CELL_WIDTH + x,
                         CANVAS_MARGIN + row * CANVAS_CELL_HEIGHT + y);
}

static void a_picture_of_a_canvas_has_its_colours(void **state) {
    (void)state;
    Canvas canvas = canvas_of(4, 3);
    canvas_box(&canvas, (Rect){0, 0, 3, 3}, STYLE_BORDER, NULL, NULL);
    canvas_set_heat(&canvas, (Rect){3, 0, 1, 1}, PALETTE_MAGMA, HEAT_NONE, 200);
    canvas_text(&canvas, 3, 1, STYLE_BAD, "█");
    Font font = {0};
    Picture picture = {0};
    Error err = {0};
    support_require(font_init(&font, "builtin", &err), &err);
    support_require(canvas_to_picture(&canvas, THEME_LIGHT, &font, &picture, &err), &err);
    assert_int_equal(picture.width, 4 * CANVAS_CELL_WIDTH + 2 * CANVAS_MARGIN);
    Rgb heat = palette_colour(PALETTE_MAGMA, 200);
    assert_memory_equal(cell_pixel(&picture, 3, 0, 0, 0), &heat, 3);
    Rgb full = theme_look(THEME_LIGHT, STYLE_BAD).ink;
    assert_memory_equal(cell_pixel(&picture, 3, 1, 0, 0), &full, 3);
    assert_memory_equal(cell_pixel(&picture, 3, 1, 7, 17), &full, 3);
    // The left line runs from the middle of one corner to the middle of the other without a gap.
    Rgb line = theme_look(THEME_LIGHT, STYLE_BORDER).ink;
    for (int y = CANVAS_CELL_HEIGHT / 2; y <= 2 * CANVAS_CELL_HEIGHT + CANVAS_CELL_HEIGHT / 2;
         y++) {
        assert_memory_equal(cell_pixel(&picture, 0, 0, CANVAS_CELL_WIDTH / 2, y), &line, 3);
    }
    assert_int_equal(font.n_missing, 0); // lines and blocks need no font
    picture_free(&picture);
    font_free(&font);
    canvas_free(&canvas);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    Canvas canvas = {0};
    Error err = {0};
    assert_false(canvas_init(&canvas, 0, 3, &err));
    assert_non_null(strstr(err.text, "not 0 x 3"));
    assert_false(canvas_init(&canvas, 3, CANVAS_MAX_SIDE + 1, NULL));
    canvas_free(&canvas);
}

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_every_edge),
        cmocka_unit_test(what_does_not_show_is_counted),
        cmocka_unit_test(half_a_wide_glyph_is_a_space),
        cmocka_unit_test(a_part_draws_only_in_itself),
        cmocka_unit_test(control_codes_and_direction_marks_never_reach_a_cell),
        cmocka_unit_test(marks_stay_on_their_letter),
        cmocka_unit_test(a_box_gives_the_room_inside),
        cmocka_unit_test(long_text_ends_in_an_ellipsis),
        cmocka_unit_test(prose_breaks_at_spaces_and_between_chinese_characters),
        cmocka_unit_test(heat_comes_before_style),
        cmocka_unit_test(every_style_can_be_read_in_every_theme),
        cmocka_unit_test(a_frame_shows_glyphs_styles_and_heat),
        cmocka_unit_test(a_picture_of_a_canvas_has_its_colours),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
