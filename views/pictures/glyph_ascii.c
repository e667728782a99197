// glyph_ascii.c - letters drawn for this program, for where no font is installed.
#include "views/pictures/glyph.h"

#include <math.h>

enum { BAND_GLYPHS = 8, CELL_COLUMNS = 6, CELL_ROWS = 9, ASCENT_ROWS = 7 };

// Eight glyphs a band, each 5 dots wide and one apart; seven rows stand on the base line, two
// below.
static const char *const BANDS[][CELL_ROWS] = {
    // space ! " # $ % & '
    {"        #    # #   # #    #   ##  #  ##     #   ",
     "        #    # #   # #   #### ##  # #  #    #   ",
     "        #         ##### # #      #  # #         ",
     "        #          # #   ###    #    #          ",
     "        #         #####   # #  #    # # #       ",
     "                   # #  ####  #  ## #  #        ",
     "        #          # #    #   #  ##  ## #       ",
     "                                                ",
     "                                                "},
    // ( ) * + , - . /
    {"   #   #                                        ",
     "  #     #     #     #                         # ",
     " #       #  # # #   #                        #  ",
     " #       #   ###  #####       #####         #   ",
     " #       #  # # #   #                      #    ",
     "  #     #     #     #     ##          ##  #     ",
     "   #   #                  ##          ##        ",
     "                           #                    ",
     "                          #                     "},
    // 0 1 2 3 4 5 6 7
    {" ###    #    ###   ###     #  #####   ##  ##### ",
     "#   #  ##   #   # #   #   ##  #      #        # ",
     "#  ##   #       #     #  # #  ####  #        #  ",
     "# # #   #      #    ##  #  #      # ####    #   ",
     "##  #   #     #       # #####     # #   #  #    ",
     "#   #   #    #    #   #    #  #   # #   #  #    ",
     " ###   ###  #####  ###     #   ###   ###   #    ",
     "                                                ",
     "                                                "},
    // 8 9 : ; < = > ?
    {" ###   ###                 #         #     ###  ",
     "#   # #   #               #           #   #   # ",
     "#   # #   #  ##    ##    #    #####    #      # ",
     " ###   ####  ##    ##   #               #    #  ",
     "#   #     #              #    #####    #    #   ",
     "#   #    #   ##    ##     #           #         ",
     " ###   ##    ##    ##      #         #      #   ",
     "                    #                           ",
     "                   #                            "},
    // @ A B C D E F G
    {" ###   ###  ####   ###  ###   ##### #####  ###  ",
     "#   # #   # #   # #   # #  #  #     #     #   # ",
     "# ### #   # #   # #     #   # #     #     #     ",
     "# # # ##### ####  #     #   # ####  ####  #  ## ",
     "# ### #   # #   # #     #   # #     #     #   # ",
     "#     #   # #   # #   # #  #  #     #     #   # ",
     " ###  #   # ####   ###  ###   ##### #      #### ",
     "                                                ",
     "                                                "},
    // H I J K L M N O
    {"#   #  ###    ### #   # #     #   # #   #  ###  ",
     "#   #   #      #  #  #  #     ## ## ##  # #   # ",
     "#   #   #      #  # #   #     # # # ##  # #   # ",
     "#####   #      #  ##    #     # # # # # # #   # ",
     "#   #   #      #  # #   #     #   # #  ## #   # ",
     "#   #   #   #  #  #  #  #     #   # #  ## #   # ",
     "#   #  ###   ##   #   # ##### #   # #   #  ###  ",
     "                                                ",
     "                                                "},
    // P Q R S T U V W
    {"####   ###  ####   #### ##### #   # #   # #   # ",
     "#   # #   # #   # #       #   #   # #   # #   # ",
     "#   # #   # #   # #       #   #   # #   # #   # ",
     "####  #   # ####   ###    #   #   # #   # # # # ",
     "#     # # # # #       #   #   #   # #   # # # # ",
     "#     #  #  #  #      #   #   #   #  # #  ## ## ",
     "#      ## # #   # ####    #    ###    #   #   # ",
     "                                                ",
     "                                                "},
    // X Y Z [ backslash ] ^ _
    {"#   # #   # #####  ###         ###    #         ",
     "#   # #   #     #  #    #        #   # #        ",
     " # #   # #     #   #     #       #  #   #       ",
     "  #     #     #    #      #      #              ",
     " # #    #    #     #       #     #              ",
     "#   #   #   #      #        #    #              ",
     "#   #   #   #####  ###         ###              ",
     "                                          ##### ",
     "                                                "},
    // ` a b c d e f g
    {" #          #               #         ##        ",
     "  #         #               #        #          ",
     "       ###  # ##   ###   ## #  ###  ####   ## # ",
     "          # ##  # #   # #  ## #   #  #    #  ## ",
     "       #### #   # #     #   # #####  #    #   # ",
     "      #   # ##  # #   # #  ## #      #    #  ## ",
     "       #### # ##   ###   ## #  ####  #     ## # ",
     "                                              # ",
     "                                           ###  "},
    // h i j k l m n o
    {"#       #      #  #      ##                     ",
     "#                 #       #                     ",
     "# ##   ##     ##  #  #    #   ## #  # ##   ###  ",
     "##  #   #      #  # #     #   # # # ##  # #   # ",
     "#   #   #      #  ##      #   # # # #   # #   # ",
     "#   #   #      #  # #     #   # # # #   # #   # ",
     "#   #  ###     #  #  #   ###  # # # #   #  ###  ",
     "            #  #                                ",
     "             ##                                 "},
    // p q r s t u v w
    {"                         #                      ",
     "                         #                      ",
     "# ##   ## # # ##   #### ####  #   # #   # #   # ",
     "##  # #  ## ##  # #      #    #   # #   # #   # ",
     "#   # #   # #      ###   #    #   # #   # # # # ",
     "##  # #  ## #         #  #  # #  ##  # #  # # # ",
     "# ##   ## # #     ####    ##   ## #   #    # #  ",
     "#         #                                     ",
     "#         #                                     "},
    // x y z { | } ~
    {"                     #    #    #                ",
     "                    #     #     #               ",
     "#   # #   # #####   #     #     #    #          ",
     " # #  #   #    #   #      #      #  # # #       ",
     "  #   #   #   #     #     #     #      #        ",
     " # #  #  ##  #      #     #     #               ",
     "#   #  ## # #####    #    #    #                ",
     "          #               #                     ",
     "       ###                                      "},
    // as listed in EXTRA
    {"                                     ####  ###  ",
     "      #   #                     #    #    #   # ",
     "       # #                       #   #    #     ",
     "  #     #         #####       #####  #    # ### ",
     "       # #                       #  # #   #   # ",
     "      #   #                     #    ##   #   # ",
     "            # # #                     #    ###  ",
     "                                                ",
     "                        #####                   "},
};

// What the pictures' own titles and common tokens need beyond ASCII: · × … − ▁ → √ Ġ
static const int32_t EXTRA[BAND_GLYPHS] = {0xB7,   0xD7,   0x2026, 0x2212,
                                           0x2581, 0x2192, 0x221A, 0x120};

// The place of a character in BANDS, -1 where it has none.
static int glyph_index(int32_t codepoint) {
    enum { N_ASCII = 96 };
    if (codepoint >= ' ' && codepoint <= '~') {
        return codepoint - ' ';
    }
    for (int i = 0; i < BAND_GLYPHS; i++) {
        if (EXTRA[i] == codepoint) {
            return N_ASCII + i;
        }
    }
    return -1;
}

bool glyph_from_ascii(Glyph *glyph, int32_t codepoint, int column, Arena *arena) {
    int index = glyph_index(codepoint);
    if (index < 0) {
        return false;
    }
    const char *const *band = BANDS[index / BAND_GLYPHS];
    int first = index % BAND_GLYPHS * CELL_COLUMNS;
    uint16_t dots[CELL_ROWS];
    for (int row = 0; row < CELL_ROWS; row++) {
        unsigned bits = 0;
        for (int x = 0; x < CELL_COLUMNS; x++) {
            bits = bits << 1 | (band[row][first + x] == '#');
        }
        dots[row] = (uint16_t)bits;
    }
    int height = (int)lround((double)CELL_ROWS * column / CELL_COLUMNS);
    glyph_from_dots(glyph, dots, CELL_COLUMNS, CELL_ROWS, column, height, arena);
    glyph->left = 0;
    glyph->top = -(int)lround((double)ASCENT_ROWS * column / CELL_COLUMNS);
    glyph->advance = column;
    return true;
}
