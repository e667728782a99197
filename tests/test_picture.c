// test_picture.c - pixels, text on them, and the PNG they become.
#include "tests/support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "views/pictures/font.h"
#include "views/pictures/png.h"

static const Rgb WHITE = {255, 255, 255};
static const TextStyle BLACK_TEXT = {.column = 8};

static Picture picture_of(int width, int height) {
    Picture picture = {0};
    Error err = {0};
    support_require(picture_init(&picture, width, height, WHITE, &err), &err);
    return picture;
}

// The smallest rectangle around everything that is not white.
static Rect ink_box(const Picture *picture) {
    int left = picture->width;
    int top = picture->height;
    int right = -1;
    int bottom = -1;
    for (int y = 0; y < picture->height; y++) {
        for (int x = 0; x < picture->width; x++) {
            if (memcmp(picture_pixel(picture, x, y), &WHITE, 3) != 0) {
                left = x < left ? x : left;
                right = x > right ? x : right;
                top = y < top ? y : top;
                bottom = y > bottom ? y : bottom;
            }
        }
    }
    return (Rect){left, top, right - left + 1, bottom - top + 1};
}

static void drawing_outside_is_cut_off(void **state) {
    (void)state;
    Picture picture = picture_of(4, 3);
    picture_fill(&picture, (Rect){-5, -5, 100, 7}, (Rgb){1, 2, 3});
    picture_fill(&picture, (Rect){9, 9, 5, 5}, (Rgb){9, 9, 9});
    picture_hatch(&picture, (Rect){-9, -9, 5, 5}, 5, (Rgb){9, 9, 9});
    picture_blend(&picture, -1, 0, (Rgb){9, 9, 9}, 255);
    Rect box = ink_box(&picture);
    assert_int_equal(box.width, 4);
    assert_int_equal(box.height, 2);
    assert_null(picture_pixel(&picture, 4, 0));
    picture_free(&picture);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    Picture picture = {0};
    Error err = {0};
    assert_false(picture_init(&picture, 0, 5, WHITE, NULL));
    assert_false(picture_init(&picture, INT_MAX, INT_MAX, WHITE, &err));
    assert_non_null(strstr(err.text, "2147483647 x 2147483647"));
    assert_false(picture_init(&picture, PICTURE_MAX_SIDE, PICTURE_MAX_SIDE, WHITE, NULL));
    picture_free(&picture);
}

static void text_stays_within_what_was_measured(void **state) {
    (void)state;
    const char *const lines[] = {
        "dog run",       "狗跑得很快", "▁the Ġcat", "e\xcc\x81\xcc\x88|", "\xf0\x9f\x90\x95 dog",
        "\x1b[2J\n\xff", "jpqy{}@",    "ÀÄÉÎÑ"};
    Font font = {0};
    Error err = {0};
    support_require(font_init(&font, NULL, &err), &err);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        for (int column = 6; column <= 12; column++) {
            TextStyle style = {.column = column, .reads_up = i % 2 == 1};
            FontHeights heights = font_heights(&font, column);
            int width = font_width(&font, &style, lines[i]);
            Picture picture = picture_of(400, 400);
            font_draw(&font, &picture, 200, 200, &style, lines[i]);
            Rect box = ink_box(&picture);
            int along = style.reads_up ? 201 - (box.y + box.height) : box.x - 200;
            int length = style.reads_up ? box.height : box.width;
            int above = style.reads_up ? 200 - box.x : 200 - box.y;
            int tall = style.reads_up ? box.width : box.height;
            assert_true(length > 0);
            assert_true(along >= -1 && along + length <= width + 1);
            assert_true(above <= heights.ascent + 2 && tall - above <= heights.descent + 2);
            picture_free(&picture);
        }
    }
    font_free(&font);
}

static void ascii_needs_no_font(void **state) {
    (void)state;
    Font font = {0};
    Error err = {0};
    support_require(font_init(&font, "builtin", &err), &err);
    Picture picture = picture_of(900, 40);
    char all[96] = "";
    for (int c = '!'; c <= '~'; c++) {
        char text[2] = {(char)c, '\0'};
        Picture one = picture_of(20, 30);
        font_draw(&font, &one, 4, 20, &BLACK_TEXT, text);
        assert_true(ink_box(&one).width > 0);
        picture_free(&one);
        all[c - '!'] = (char)c;
    }
    assert_int_equal(font_width(&font, &BLACK_TEXT, all), 8 * 94);
    assert_int_equal(font_width(&font, &BLACK_TEXT, "·×…−▁→√Ġ"), 8 * 8);
    assert_int_equal(font.n_missing, 0);
    font_draw(&font, &picture, 4, 20, &BLACK_TEXT, "q\xcc\x83");
    assert_true(ink_box(&picture).height < 12); // the letter without a box over it
    picture_fill(&picture, (Rect){0, 0, 900, 40}, WHITE);
    font_draw(&font, &picture, 4, 20, &BLACK_TEXT, "狗");
    assert_int_equal(font.n_missing, 2);
    assert_int_equal(ink_box(&picture).width, 14); // a box as wide as the character
    picture_free(&picture);
    font_free(&font);
}

static void a_font_that_was_named_must_be_one(void **state) {
    (void)state;
    Font font = {0};
    Error err = {0};
    assert_false(font_init(&font, "/nowhere/at-all.ttf", &err));
    assert_non_null(strstr(err.text, "/nowhere/at-all.ttf"));
    font_free(&font);
    err = (Error){0};
    assert_false(font_init(&font, "tests/test_picture.c", &err));
    assert_string_equal(err.text, "tests/test_picture.c: expected a TrueType font");
    font_free(&font);
    // The header of one, and nothing after it.
    unsigned char header[60] = {0, 1, 0, 0, 0, 1};
    header[12 + 11] = 40;
    header[12 + 15] = 21;
    assert_null(truetype_open(header, sizeof header));
}

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void a_png_gives_back_every_pixel(void **state) {
    (void)state;
    enum { WIDTH = 37, HEIGHT = 11, ROW = 1 + 3 * WIDTH };
    Picture picture = picture_of(WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        picture.pixels[i] = (unsigned char)(i * 7 + i / 50);
    }
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error err = {0};
    support_require(png_encode(&picture, &bytes, &size, &err), &err);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big_endian(bytes + 16), WIDTH);
    assert_int_equal(big_endian(bytes + 20), HEIGHT);
    assert_memory_equal(bytes + 37, "IDAT", 4);
    uint32_t length = big_endian(bytes + 33);
    assert_int_equal(crc32(0, bytes + 37, length + 4), big_endian(bytes + 41 + length));
    unsigned char rows[ROW * HEIGHT];
    uLongf n_bytes = sizeof rows;
    assert_int_equal(uncompress(rows, &n_bytes, bytes + 41, length), Z_OK);
    assert_int_equal(n_bytes, sizeof rows);
    for (int y = 0; y < HEIGHT; y++) {
        assert_int_equal(rows[y * ROW], 0); // unfiltered
        assert_memory_equal(rows + y * ROW + 1, picture_pixel(&picture, 0, y), 3 * WIDTH);
    }
    free(bytes);
    picture_free(&picture);
}

static void a_png_that_cannot_be_written_is_told(void **state) {
    (void)state;
    Picture picture = picture_of(2, 2);
    Error err = {0};
    assert_false(png_save_small(&picture, "/nowhere/picture.png", &err));
    err = (Error){0};
    assert_false(png_save(&picture, "/nowhere/picture.png", NULL, &err));
    assert_non_null(strstr(err.text, "/nowhere/picture.png"));
    picture_free(&picture);
}

static bool ends_at_row(Progress *progress) {
    int *n_rows = progress->context;
    return (*n_rows)-- > 0;
}

// However far it came, there is no file.
static void a_png_that_is_ended_is_not_there(void **state) {
    (void)state;
    Picture picture = picture_of(9, 20);
    for (int row = 0; row <= 20; row++) {
        int n_rows = row;
        Progress progress = {.goes_on = ends_at_row, .context = &n_rows};
        Error err = {0};
        assert_false(png_save(&picture, "ended.png", &progress, &err));
        assert_non_null(strstr(err.text, "ended"));
        assert_int_not_equal(access("ended.png", F_OK), 0);
    }
    picture_free(&picture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawing_outside_is_cut_off),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(text_stays_within_what_was_measured),
        cmocka_unit_test(ascii_needs_no_font),
        cmocka_unit_test(a_font_that_was_named_must_be_one),
        cmocka_unit_test(a_png_gives_back_every_pixel),
        cmocka_unit_test(a_png_that_cannot_be_written_is_told),
        cmocka_unit_test(a_png_that_is_ended_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
