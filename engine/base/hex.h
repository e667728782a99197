// hex.h - hexadecimal digits.
#ifndef ENGINE_BASE_HEX_H
#define ENGINE_BASE_HEX_H

// 0 to 15; -1 where it is none.
int hex_digit(char c);
int hex_digit_upper(char c); // where a form knows A to F alone

#endif
