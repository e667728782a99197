// test_terminal_colour.c - every style and every heat can be read with the colours that a terminal
// has, and heat that differs looks different.
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "app/terminal/terminal_colour.h"
#include "tests/support_palette.h"

static const ColourDepth DEPTHS[] = {COLOUR_8, COLOUR_16, COLOUR_256, COLOUR_TRUE};

enum { N_DEPTHS = sizeof DEPTHS / sizeof DEPTHS[0], SIXTEENTH = 15 };

// With bold as a bright ink and without; the console always brightens.
static const PtyPalette *const PALETTES[] = {&PTY_XTERM, &PTY_XTERM_PLAIN, &PTY_VGA};

enum { N_PALETTES = sizeof PALETTES / sizeof PALETTES[0] };

static Cell cell_of(Style style, unsigned attributes, Palette palette, int paper) {
    Cell cell = {.glyph = "x", .width = 1, .heat_ink = HEAT_NONE, .heat_paper = (int16_t)paper};
    cell.style = (unsigned char)style;
    cell.attributes = (unsigned char)attributes;
    cell.palette = (unsigned char)palette;
    return cell;
}

// A border need not be read. Without colours that holds too for what is faint; the console, which
// makes it too dark, is sent none.
static double least_contrast(const Cell *cell, ThemeName theme) {
    bool is_border = cell->style == STYLE_BORDER && cell->heat_paper == HEAT_NONE;
    bool is_faint = (theme_look(theme, (Style)cell->style).attributes & LOOK_DIM) != 0;
    return is_border || is_faint ? 3.0 : 4.5;
}

static void is_readable(const Cell *cell, ThemeName theme, ColourDepth depth) {
    for (int i = 0; i < N_PALETTES; i++) {
        CellColours colours = colour_of_cell(cell, theme, depth);
        if (PALETTES[i] == &PTY_VGA && !colour_is_faint_readable("linux")) {
            colours.attributes &= ~(unsigned)LOOK_DIM;
        }
        Rgb ink = {0};
        Rgb paper = {0};
        palette_seen(PALETTES[i], &colours, depth, &ink, &paper);
        if (palette_contrast(ink, paper) < least_contrast(cell, theme)) {
            fail_msg("%s, %s colours, palette %d: style '%c', attributes %d, heat %d has a "
                     "contrast of %.2f",
                     theme_name(theme), colour_depth_name(depth), i,
                     theme_style_letter((Style)cell->style), cell->attributes, cell->heat_paper,
                     palette_contrast(ink, paper));
        }
    }
}

static void every_style_is_readable_in_every_depth(void **state) {
    (void)state;
    for (int theme = THEME_DARK; theme < THEME_COUNT; theme++) {
        for (int depth = 0; depth < N_DEPTHS; depth++) {
            for (int style = 0; style < STYLE_COUNT; style++) {
                Cell plain = cell_of((Style)style, 0, PALETTE_VIRIDIS, HEAT_NONE);
                Cell bold = cell_of((Style)style, LOOK_BOLD, PALETTE_VIRIDIS, HEAT_NONE);
                is_readable(&plain, (ThemeName)theme, DEPTHS[depth]);
                is_readable(&bold, (ThemeName)theme, DEPTHS[depth]);
            }
        }
    }
}

static void digits_over_every_heat_are_readable(void **state) {
    (void)state;
    for (int theme = THEME_DARK; theme < THEME_MONO; theme++) {
        for (int depth = 0; depth < N_DEPTHS; depth++) {
            for (int palette = 0; palette < PALETTE_COUNT; palette++) {
                for (int heat = 0; heat <= HEAT_INFINITE; heat++) {
                    Cell number = cell_of(STYLE_NUMBER, 0, (Palette)palette, heat);
                    Cell negative = cell_of(STYLE_NEGATIVE, LOOK_BOLD, (Palette)palette, heat);
                    is_readable(&number, (ThemeName)theme, DEPTHS[depth]);
                    is_readable(&negative, (ThemeName)theme, DEPTHS[depth]);
                }
            }
        }
    }
}

static bool looks_the_same(const Cell *a, const Cell *b, ThemeName theme, ColourDepth depth) {
    bool has_heat = colour_shows_heat(theme, depth);
    CellColours one = colour_of_cell(a, theme, depth);
    CellColours other = colour_of_cell(b, theme, depth);
    return strcmp(cell_glyph(a, has_heat), cell_glyph(b, has_heat)) == 0 && one.ink == other.ink &&
           one.paper == other.paper && one.attributes == other.attributes;
}

// What stands for a number: shades of one column and of two, the mark and the paper of its digits.
typedef enum Form { FORM_ONE, FORM_TWO, FORM_NUMBER, FORM_COUNT } Form;

static void draw_form(Canvas *canvas, int y, Form form, int heat) {
    if (form == FORM_NUMBER) {
        canvas_mark(canvas, 0, y, PALETTE_VIRIDIS, heat);
        canvas_set_heat(canvas, (Rect){1, y, 1, 1}, PALETTE_VIRIDIS, HEAT_NONE, heat);
        return;
    }
    canvas_shade(canvas, 0, y, 1 + (int)form, STYLE_NUMBER, PALETTE_VIRIDIS, heat);
}

static void shades_differ_by_a_sixteenth_of_the_scale(Form form, ThemeName theme, ColourDepth depth,
                                                      bool ascii) {
    enum { STEPS = 1000 };
    Canvas canvas = {.cells = NULL};
    assert_true(canvas_init(&canvas, 2, STEPS + 1, NULL));
    canvas.ascii = ascii;
    for (int i = 0; i <= STEPS; i++) {
        draw_form(&canvas, i, form, palette_entry((float)i / (float)STEPS));
        is_readable(canvas_cell(&canvas, 0, i), theme, depth);
    }
    for (int i = 0; i + STEPS / 16 + 1 <= STEPS; i++) {
        const Cell *low = canvas_cell(&canvas, 0, i);
        const Cell *high = canvas_cell(&canvas, 0, i + STEPS / 16 + 1);
        if (looks_the_same(&low[0], &high[0], theme, depth) &&
            looks_the_same(&low[1], &high[1], theme, depth)) {
            fail_msg("form %d, %s, %s colours: %d and a sixteenth more of %d look the same", form,
                     theme_name(theme), colour_depth_name(depth), i, STEPS);
        }
    }
    canvas_free(&canvas);
}

static void shades_differ_everywhere(void **state) {
    (void)state;
    for (int form = 0; form < FORM_COUNT; form++) {
        for (int theme = THEME_DARK; theme < THEME_COUNT; theme++) {
            for (int depth = COLOUR_NONE; depth <= COLOUR_TRUE; depth++) {
                shades_differ_by_a_sixteenth_of_the_scale((Form)form, (ThemeName)theme,
                                                          (ColourDepth)depth, false);
                shades_differ_by_a_sixteenth_of_the_scale((Form)form, (ThemeName)theme,
                                                          (ColourDepth)depth, true);
            }
        }
    }
}

static void no_heat_looks_like_the_page(void **state) {
    (void)state;
    for (int theme = THEME_DARK; theme < THEME_MONO; theme++) {
        for (int depth = 0; depth < N_DEPTHS; depth++) {
            Cell page = cell_of(STYLE_NUMBER, 0, PALETTE_VIRIDIS, HEAT_NONE);
            for (int heat = 0; heat < PALETTE_ENTRIES; heat++) {
                Cell cell = cell_of(STYLE_NUMBER, 0, PALETTE_VIRIDIS, heat);
                assert_int_not_equal(colour_of_cell(&cell, (ThemeName)theme, DEPTHS[depth]).paper,
                                     colour_of_cell(&page, (ThemeName)theme, DEPTHS[depth]).paper);
            }
        }
    }
}

// Where colours alone tell heat, each palette rises in lightness and tells a sixteenth apart.
static void ramps_rise_and_tell_a_sixteenth(void **state) {
    (void)state;
    for (int palette = 0; palette < PALETTE_COUNT; palette++) {
        Rgb black = {0, 0, 0};
        int before = -1;
        double lightness = 0.0;
        for (int heat = 0; heat < PALETTE_ENTRIES; heat++) {
            Cell cell = cell_of(STYLE_NUMBER, 0, (Palette)palette, heat);
            int paper = colour_of_cell(&cell, THEME_DARK, COLOUR_256).paper;
            double light = palette_contrast(colour_of_256(paper), black);
            assert_true(paper == before || light > lightness);
            before = paper;
            lightness = light;
            if (heat + SIXTEENTH < PALETTE_ENTRIES) {
                Cell more = cell_of(STYLE_NUMBER, 0, (Palette)palette, heat + SIXTEENTH);
                assert_int_not_equal(paper, colour_of_cell(&more, THEME_DARK, COLOUR_256).paper);
            }
        }
    }
}

// The cursor's paper is no other style's, and no heat's.
static void nothing_else_looks_like_the_cursor(void **state) {
    (void)state;
    for (int theme = THEME_DARK; theme < THEME_MONO; theme++) {
        for (int depth = 0; depth < N_DEPTHS; depth++) {
            Cell cursor = cell_of(STYLE_CURSOR, 0, PALETTE_VIRIDIS, HEAT_NONE);
            CellColours found = colour_of_cell(&cursor, (ThemeName)theme, DEPTHS[depth]);
            for (int style = 0; style < STYLE_COUNT; style++) {
                Cell cell = cell_of((Style)style, 0, PALETTE_VIRIDIS, HEAT_NONE);
                bool may_share = style == STYLE_CURSOR || style == STYLE_BAD; // a fault is no cell
                CellColours other = colour_of_cell(&cell, (ThemeName)theme, DEPTHS[depth]);
                assert_true(may_share || other.paper != found.paper);
            }
            for (int heat = 0; heat <= HEAT_INFINITE; heat++) {
                Cell cell = cell_of(STYLE_NUMBER, 0, PALETTE_VIRIDIS, heat);
                CellColours other = colour_of_cell(&cell, (ThemeName)theme, DEPTHS[depth]);
                assert_int_not_equal(other.paper, found.paper);
            }
        }
    }
}

// Without colours the attributes tell the cursor from all the others.
static void without_colours_the_cursor_is_told_by_attributes(void **state) {
    (void)state;
    unsigned cursor = theme_look(THEME_MONO, STYLE_CURSOR).attributes;
    for (int style = 0; style < STYLE_COUNT; style++) {
        bool is_elsewhere = style == STYLE_CURSOR || style == STYLE_KEY; // a key stands in the bar
        assert_true(is_elsewhere || theme_look(THEME_MONO, (Style)style).attributes != cursor);
    }
}

static void pairs_are_found_again_until_there_is_no_room(void **state) {
    (void)state;
    ColourPairs *table = calloc(1, sizeof *table);
    assert_non_null(table);
    bool is_new = false;
    assert_int_equal(colour_pairs_find(table, -1, -1, 3, &is_new), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(colour_pairs_find(table, i, 7, 3, &is_new), i + 1);
        assert_true(is_new);
        assert_int_equal(colour_pairs_find(table, i, 7, 3, &is_new), i + 1);
        assert_false(is_new);
    }
    assert_int_equal(colour_pairs_find(table, 3, 7, 3, &is_new), -1);
    assert_int_equal(colour_pairs_find(table, 2, 7, 3, &is_new), 3);
    for (int i = 0; i < PAIR_SLOTS; i++) { // the table itself ends before it is full
        colour_pairs_find(table, i, 9, 1 << 30, &is_new);
    }
    assert_int_equal(table->n_pairs, PAIR_MAX);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_style_is_readable_in_every_depth),
        cmocka_unit_test(digits_over_every_heat_are_readable),
        cmocka_unit_test(shades_differ_everywhere),
        cmocka_unit_test(no_heat_looks_like_the_page),
        cmocka_unit_test(ramps_rise_and_tell_a_sixteenth),
        cmocka_unit_test(nothing_else_looks_like_the_cursor),
        cmocka_unit_test(without_colours_the_cursor_is_told_by_attributes),
        cmocka_unit_test(pairs_are_found_again_until_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
