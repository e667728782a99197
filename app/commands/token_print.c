// token_print.c - tokens on the terminal: pieces in alternating colours, ids beneath, merges one by
// one.
#include "app/commands/token_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include "app/output.h"
#include "app/terminal/terminal_text.h"
#include "engine/base/utf8.h"
#include "engine/base/buffer.h"
#include "engine/tokenizers/tokenizer_private.h"

enum { PIECE_TEXT_BYTES = 256 };

// Light and dark terminals show both; special tokens are reversed, which needs no colour vision.
static const char *const COLOURS[] = {"\033[36m", "\033[33m"};
static const char SPECIAL[] = "\033[7m";
static const char UNDERLINED[] = "\033[4m";
static const char RESET[] = "\033[0m";

bool token_print_knows(const char *format) {
    return strcmp(format, "both") == 0 || strcmp(format, "pieces") == 0 ||
           strcmp(format, "piece") == 0 || strcmp(format, "ids") == 0 || strcmp(format, "id") == 0;
}

void token_print_init(TokenPrinter *printer, const char *format) {
    printer->prints_pieces = format[0] != 'i';
    printer->prints_ids = format[0] != 'p';
    const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    printer->has_colour = terminal_text_has_colour(STDOUT_FILENO);
    struct winsize size = {0};
    if (is_terminal) {
        printer->width =
            ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    }
}

static int width_of(const char *text) {
    int width = 0;
    const size_t length = strlen(text);
    for (size_t i = 0, n = 0; i < length; i += n) {
        const int32_t code = utf8_next(text + i, length - i, &n);
        width += code < 0 ? 1 : utf8proc_charwidth(code);
    }
    return width;
}

static bool is_special(const Tokenizer *tokenizer, int id) {
    const PieceKind kind = tokenizer->pieces[id].kind;
    return kind == PIECE_CONTROL || kind == PIECE_UNKNOWN || kind == PIECE_USER;
}

static void put_coloured(const TokenPrinter *printer, const char *text, size_t i, int id) {
    if (!printer->has_colour) {
        output_text(text);
        return;
    }
    if (is_special(printer->tokenizer, id)) {
        output_sequence(SPECIAL);
    }
    output_sequence(COLOURS[i % 2]);
    output_text(text);
    output_sequence(RESET);
}

static void put_spaces(int n) {
    for (int i = 0; i < n; i++) {
        output_text(" ");
    }
}

// One row of cells, the piece above its id, as many as fit; returns how many.
static size_t print_row(const TokenPrinter *printer, const int32_t *ids, size_t count,
                        size_t first) {
    int used = 0;
    size_t n = 0;
    int widths[512];
    char text[PIECE_TEXT_BYTES];
    char number[16];
    for (; n < count && n < sizeof widths / sizeof widths[0]; n++) {
        tokenizer_piece_text(printer->tokenizer, ids[n], text, sizeof text);
        snprintf(number, sizeof number, "%d", ids[n]);
        const int piece_width = width_of(text);
        const int number_width = (int)strlen(number);
        widths[n] = piece_width > number_width ? piece_width : number_width;
        if (printer->width > 0 && n > 0 && used + widths[n] + 1 > printer->width) {
            break;
        }
        used += widths[n] + 1;
    }
    for (size_t i = 0; i < n; i++) {
        tokenizer_piece_text(printer->tokenizer, ids[i], text, sizeof text);
        put_coloured(printer, text, first + i, ids[i]);
        put_spaces(i + 1 < n ? widths[i] - width_of(text) + 1 : 0);
    }
    output_text("\n");
    for (size_t i = 0; i < n; i++) {
        char id[16];
        const int length = snprintf(id, sizeof id, "%d", ids[i]);
        output_text(id);
        put_spaces(i + 1 < n ? widths[i] - length + 1 : 0);
    }
    output_text("\n");
    return n;
}

// Many ids at once: printf for each would take longer than finding them.
static void print_numbers(const TokenIds *ids) {
    enum { CHUNK = 4096, ROOM = 12 };
    char chunk[CHUNK] = {0};
    size_t used = 0;
    for (size_t i = 0; i < ids->count; i++) {
        char digits[ROOM];
        int n = ROOM;
        uint32_t rest = (uint32_t)ids->ids[i];
        do {
            digits[--n] = (char)('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        if (used + ROOM > CHUNK) {
            output_bytes(chunk, used);
            used = 0;
        }
        if (i > 0) {
            chunk[used++] = ' ';
        }
        memcpy(chunk + used, digits + n, (size_t)(ROOM - n));
        used += (size_t)(ROOM - n);
    }
    output_bytes(chunk, used);
    output_text("\n");
}

static void print_pieces(const TokenPrinter *printer, const TokenIds *ids) {
    char text[PIECE_TEXT_BYTES];
    for (size_t i = 0; i < ids->count; i++) {
        if (i > 0) {
            output_text(" ");
        }
        tokenizer_piece_text(printer->tokenizer, ids->ids[i], text, sizeof text);
        put_coloured(printer, text, i, ids->ids[i]);
    }
    output_text("\n");
}

void token_print_ids(TokenPrinter *printer, const TokenIds *ids) {
    if (!printer->prints_pieces) {
        print_numbers(ids);
        return;
    }
    if (!printer->prints_ids) {
        print_pieces(printer, ids);
        return;
    }
    if (ids->count == 0) {
        output_text("\n");
    }
    for (size_t i = 0; i < ids->count;) {
        i += print_row(printer, ids->ids + i, ids->count - i, i);
    }
}

// ---- merges

static void put_text(const char *bytes, int length) {
    char text[PIECE_TEXT_BYTES];
    tokenizer_clean(bytes, (size_t)length, text, sizeof text);
    output_text(text);
}

static void put_mark(const TokenPrinter *printer, bool marked, const char *sequence,
                     const char *sign) {
    if (marked && printer->has_colour) {
        output_sequence(sequence);
    } else if (marked) {
        output_text(sign);
    }
}

// The row of pieces, those from left_start to right_end marked: the two that merge, or the one they
// made.
static void put_row(const TokenPrinter *printer, const MergeStep *step, bool merged) {
    for (int i = 0; i < step->n_pieces; i++) {
        const int start = step->starts[i];
        if (merged && start == step->left_end) {
            continue; // has become part of the one before
        }
        int end = i + 1 < step->n_pieces ? step->starts[i + 1] : step->text_length;
        if (merged && start == step->left_start) {
            end = step->right_end;
        }
        const bool marked = start >= step->left_start && end <= step->right_end;
        output_text(i > 0 ? " " : "\t");
        put_mark(printer, marked, UNDERLINED, "[");
        put_text(step->text + start, end - start);
        put_mark(printer, marked, RESET, "]");
    }
    output_text("\n");
}

void token_print_start_steps(TokenPrinter *printer) {
    printer->n_steps = 0;
}

void token_print_step(void *context, const MergeStep *step) {
    TokenPrinter *printer = context;
    output_print("%4d  ", ++printer->n_steps);
    put_text(step->text + step->left_start, step->left_end - step->left_start);
    output_text(" + ");
    put_text(step->text + step->left_end, step->right_end - step->left_end);
    output_text(" -> ");
    put_text(step->text + step->left_start, step->right_end - step->left_start);
    output_print("  rank %d, id %d\n", step->rank, step->id);
    put_row(printer, step, false);
    put_row(printer, step, true);
}
