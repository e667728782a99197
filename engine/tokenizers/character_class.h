// character_class.h - what a character is to the patterns that split text.
#ifndef ENGINE_TOKENIZERS_CHARACTER_CLASS_H
#define ENGINE_TOKENIZERS_CHARACTER_CLASS_H

#include <stdbool.h>
#include <stdint.h>

// What a character is to the patterns. Marks, modifier letters and letters without case count as
// both upper and lower case where a pattern asks for case.
typedef enum CharacterClass {
    CLASS_SIGN = 0,
    CLASS_LETTER = 1,
    CLASS_NUMBER = 2,
    CLASS_SPACE = 4,
    CLASS_LINE_END = 8,
    CLASS_UPPER = 16,
    CLASS_LOWER = 32,
    CLASS_BIG = CLASS_LETTER | CLASS_UPPER,
    CLASS_SMALL = CLASS_LETTER | CLASS_LOWER,
    CLASS_BREAK = CLASS_SPACE | CLASS_LINE_END,
} CharacterClass;

// The classes of a code point that is not ASCII, by Unicode 16.
unsigned character_class_of(int32_t character);

// Of any code point, ASCII too; false for -1. White space as Unicode lists it; what a pattern calls
// \w, letters, marks, digits, connectors as _ and joiners; and punctuation with all
// signs of ASCII, as Unicode 8 has it and with it Hugging Face's pre-tokenizers.
bool character_class_is_space(int32_t character);
bool character_class_is_word(int32_t character);
bool character_class_is_punctuation(int32_t character);

#endif
