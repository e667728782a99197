// byte_map.h - GPT-2's way of writing any byte as a printable character: a space is Ġ, a newline Ċ.
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_MAP_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The 188 bytes that print in Latin-1 (! to ~, ¡ to ¬, ® to ÿ) stand for themselves; the other 68,
// in their order, for U+0100 and on. No two bytes share a character (Radford et al. 2019, GPT-2).
int32_t byte_map_character(uint8_t byte);

// The byte that a character stands for, -1 where it stands for none.
int byte_map_byte(int32_t character);

// Undoes the map for length bytes of UTF-8. bytes must hold length bytes; their count is returned,
// -1 where a character is not one of the 256.
long byte_map_undo(const char *text, size_t length, char *bytes);

#endif
