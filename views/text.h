// text.h - text from anywhere, cut into clean clusters of which each fills one or two columns.
#ifndef VIEWS_TEXT_H
#define VIEWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_CLUSTER_BYTES = 16, TEXT_CLUSTER_MARKS = 4 };

// One spacing character and the marks that sit on it, as a terminal lays them out. Control codes
// and what would turn the direction of the line stand as visible signs; bytes that are not UTF-8
// and a mark without a letter are made whole.
typedef struct TextCluster {
    char glyph[TEXT_CLUSTER_BYTES]; // UTF-8, ended by NUL, never empty
    int32_t codepoints[1 + TEXT_CLUSTER_MARKS];
    int n_codepoints;
    int width; // columns, 1 or 2
} TextCluster;

// Reads the cluster at *text, which lies before end, and moves *text past it. False at the end;
// characters without width and shape (joiners, direction marks) are passed over.
bool text_next_cluster(const char **text, const char *end, TextCluster *cluster);

// Columns that the text takes on a screen.
int text_columns(const char *text);

// How many bytes of text fit into so many columns; *used (may be NULL) gets the columns they take.
size_t text_fit(const char *text, int columns, int *used);

// How many bytes of text go on a line of so many columns, broken at a space or at a newline where
// there is one, else between Chinese characters, else anywhere; at least one cluster. *next gets
// where the next line begins, past the space or the newline.
size_t text_wrap(const char *text, int columns, const char **next);

// As much of text as out holds, size_bytes at least 4: whole characters, and "…" where it was cut.
void text_copy(char *out, size_t size_bytes, const char *text);

// The same of a text that is formatted first. Returns out.
const char *text_print(char *out, size_t size_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Takes off the end of out what a cut has left of a character. Returns the length.
size_t text_trim(char *out);

// A time in the two units that matter: "12 s", "3 min 05 s", "7 h 04 min". Returns text.
enum { TEXT_DURATION_BYTES = 32 };
const char *text_duration(double seconds, char text[TEXT_DURATION_BYTES]);

// "12,345,678". Returns text.
enum { TEXT_GROUPED_BYTES = 32 };
const char *text_grouped(size_t number, char text[TEXT_GROUPED_BYTES]);

// Columns of one code point as the terminal sees it: wcwidth where the locale knows it, else
// Unicode's.
int text_codepoint_columns(int32_t codepoint);

#endif
