// character_class.c - what a character is to the patterns that split text.
#include "engine/tokenizers/character_class.h"

#include <stddef.h>

#include <utf8proc.h>

enum {
    CASELESS = CLASS_BIG | CLASS_SMALL,
    MARK = CLASS_UPPER | CLASS_LOWER,
};

typedef struct ClassRange {
    int32_t first;
    int32_t last;
    uint8_t classes;
} ClassRange;

// Letters, marks and numbers that Unicode got after version 15, which is utf8proc 2.8's. The
// reference implementations know them.
static const ClassRange NEWER[] = {
    {0x897, 0x897, MARK},
    {0x1C89, 0x1C89, CLASS_BIG},
    {0x1C8A, 0x1C8A, CLASS_SMALL},
    {0xA7CB, 0xA7CC, CLASS_BIG},
    {0xA7CD, 0xA7CD, CLASS_SMALL},
    {0xA7DA, 0xA7DA, CLASS_BIG},
    {0xA7DB, 0xA7DB, CLASS_SMALL},
    {0xA7DC, 0xA7DC, CLASS_BIG},
    {0x105C0, 0x105F3, CASELESS},
    {0x10D40, 0x10D49, CLASS_NUMBER},
    {0x10D4A, 0x10D4F, CASELESS},
    {0x10D50, 0x10D65, CLASS_BIG},
    {0x10D69, 0x10D6D, MARK},
    {0x10D6F, 0x10D6F, CASELESS},
    {0x10D70, 0x10D85, CLASS_SMALL},
    {0x10EC2, 0x10EC4, CASELESS},
    {0x10EFC, 0x10EFC, MARK},
    {0x11380, 0x11389, CASELESS},
    {0x1138B, 0x1138B, CASELESS},
    {0x1138E, 0x1138E, CASELESS},
    {0x11390, 0x113B5, CASELESS},
    {0x113B7, 0x113B7, CASELESS},
    {0x113B8, 0x113C0, MARK},
    {0x113C2, 0x113C2, MARK},
    {0x113C5, 0x113C5, MARK},
    {0x113C7, 0x113CA, MARK},
    {0x113CC, 0x113D0, MARK},
    {0x113D1, 0x113D1, CASELESS},
    {0x113D2, 0x113D2, MARK},
    {0x113D3, 0x113D3, CASELESS},
    {0x113E1, 0x113E2, MARK},
    {0x116D0, 0x116E3, CLASS_NUMBER},
    {0x11BC0, 0x11BE0, CASELESS},
    {0x11BF0, 0x11BF9, CLASS_NUMBER},
    {0x11F5A, 0x11F5A, MARK},
    {0x13460, 0x143FA, CASELESS},
    {0x16100, 0x1611D, CASELESS},
    {0x1611E, 0x1612F, MARK},
    {0x16130, 0x16139, CLASS_NUMBER},
    {0x16D40, 0x16D6C, CASELESS},
    {0x16D70, 0x16D79, CLASS_NUMBER},
    {0x18CFF, 0x18CFF, CASELESS},
    {0x1CCF0, 0x1CCF9, CLASS_NUMBER},
    {0x1E5D0, 0x1E5ED, CASELESS},
    {0x1E5EE, 0x1E5EF, MARK},
    {0x1E5F0, 0x1E5F0, CASELESS},
    {0x1E5F1, 0x1E5FA, CLASS_NUMBER},
    {0x2EBF0, 0x2EE5D, CASELESS},
};

static unsigned newer_class(int32_t character) {
    for (size_t i = 0; i < sizeof NEWER / sizeof NEWER[0]; i++) {
        if (character >= NEWER[i].first && character <= NEWER[i].last) {
            return NEWER[i].classes;
        }
    }
    return CLASS_SIGN;
}

unsigned character_class_of(int32_t character) {
    static const uint8_t classes[] = {
        [UTF8PROC_CATEGORY_LU] = CLASS_BIG,    [UTF8PROC_CATEGORY_LT] = CLASS_BIG,
        [UTF8PROC_CATEGORY_LL] = CLASS_SMALL,  [UTF8PROC_CATEGORY_LM] = CASELESS,
        [UTF8PROC_CATEGORY_LO] = CASELESS,     [UTF8PROC_CATEGORY_MN] = MARK,
        [UTF8PROC_CATEGORY_MC] = MARK,         [UTF8PROC_CATEGORY_ME] = MARK,
        [UTF8PROC_CATEGORY_ND] = CLASS_NUMBER, [UTF8PROC_CATEGORY_NL] = CLASS_NUMBER,
        [UTF8PROC_CATEGORY_NO] = CLASS_NUMBER, [UTF8PROC_CATEGORY_ZS] = CLASS_SPACE,
        [UTF8PROC_CATEGORY_ZL] = CLASS_SPACE,  [UTF8PROC_CATEGORY_ZP] = CLASS_SPACE,
        [UTF8PROC_CATEGORY_CO] = CLASS_SIGN, // the last of them, which sizes the table
    };
    if (character == 0x85) { // a control code by category, white space by Unicode's list
        return CLASS_SPACE;
    }
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_CN ? newer_class(character) : classes[category];
}

// ---- properties of any code point

bool character_class_is_space(int32_t character) {
    if (character < 0x80) {
        return character == ' ' || (character >= '\t' && character <= '\r');
    }
    return (character_class_of(character) & CLASS_SPACE) != 0;
}

// Signs that Unicode counts as alphabetic all the same: letters in circles and squares.
static bool is_circled_letter(int32_t character) {
    return (character >= 0x24B6 && character <= 0x24E9) ||
           (character >= 0x1F130 && character <= 0x1F149) ||
           (character >= 0x1F150 && character <= 0x1F169) ||
           (character >= 0x1F170 && character <= 0x1F189);
}

bool character_class_is_word(int32_t character) {
    if (character < 0x80) {
        return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
               (character >= 'a' && character <= 'z') || character == '_';
    }
    const utf8proc_category_t category = utf8proc_category(character);
    const bool is_joiner = character == 0x200C || character == 0x200D;
    const bool is_fraction_like = category == UTF8PROC_CATEGORY_NO;
    return is_joiner || category == UTF8PROC_CATEGORY_PC || is_circled_letter(character) ||
           (!is_fraction_like && (character_class_of(character) &
                                  (CLASS_LETTER | CLASS_NUMBER | CLASS_UPPER | CLASS_LOWER)) != 0);
}

// Punctuation that Unicode got after version 8, whose tables the reference's pre-tokenizers have.
static bool is_newer_punctuation(int32_t character) {
    static const int32_t RANGES[][2] = {
        {0x61D, 0x61D},     {0x9FD, 0x9FD},     {0xA76, 0xA76},     {0xC77, 0xC77},
        {0xC84, 0xC84},     {0x1B7D, 0x1B7E},   {0x2E43, 0x2E4F},   {0x2E52, 0x2E5D},
        {0x10EAD, 0x10EAD}, {0x10F55, 0x10F59}, {0x10F86, 0x10F89}, {0x1144B, 0x1144F},
        {0x1145A, 0x1145B}, {0x1145D, 0x1145D}, {0x11660, 0x1166C}, {0x116B9, 0x116B9},
        {0x1183B, 0x1183B}, {0x11944, 0x11946}, {0x119E2, 0x119E2}, {0x11A3F, 0x11A46},
        {0x11A9A, 0x11A9C}, {0x11A9E, 0x11AA2}, {0x11B00, 0x11B09}, {0x11C41, 0x11C45},
        {0x11C70, 0x11C71}, {0x11EF7, 0x11EF8}, {0x11F43, 0x11F4F}, {0x11FFF, 0x11FFF},
        {0x12FF1, 0x12FF2}, {0x16E97, 0x16E9A}, {0x16FE2, 0x16FE2}, {0x1E95E, 0x1E95F},
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        if (character >= RANGES[i][0] && character <= RANGES[i][1]) {
            return true;
        }
    }
    return false;
}

bool character_class_is_punctuation(int32_t character) {
    if (character < 0x80) {
        return character > ' ' && character < 0x7F &&
               !(character_class_is_word(character) && character != '_');
    }
    const utf8proc_category_t category = utf8proc_category(character);
    const bool was_punctuation = character == 0x166D; // a symbol since version 12
    return was_punctuation ||
           (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO &&
            !is_newer_punctuation(character));
}
