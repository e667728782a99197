// script.h - which writing system a character belongs to, as SentencePiece divides them.
#ifndef ENGINE_TOKENIZERS_SENTENCEPIECE_SCRIPT_H
#define ENGINE_TOKENIZERS_SENTENCEPIECE_SCRIPT_H

#include <stdint.h>

enum { SCRIPT_COMMON = 0, SCRIPT_INHERITED = 1 };

// Hiragana, Katakana and Han are one; what Unicode 9.0 did not know is common. The other numbers
// only tell scripts apart.
int script_of(int32_t code);

#endif
