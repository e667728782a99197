// charsmap.c - the character map "nmt_nfkc", made from Unicode's decompositions by utf8proc.
//
// What a sequence of characters that together make one (a letter and its accents, the parts of a
// Korean syllable) is mapped to: that one. Each of them may stand there in any of its compatible
// forms. Single characters are mapped to their NFKC form; controls vanish and separators become
// spaces.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/sentencepiece/double_array.h"
#include "engine/tokenizers/sentencepiece/normalizer.h"
#include "engine/tokenizers/sentencepiece/word_counts.h"

enum { LAST_CODE = 0x2ffff, MOST_PARTS = 32, NONE = -1 };

// A place in the trie over whole characters, each in its decomposed form.
typedef struct CharNode {
    int32_t code;  // that leads here
    int32_t value; // what the characters up to here compose to; NONE
    int32_t first_child, next_sibling;
    DoubleArrayEdge
        *edges; // of its block, made once and used by every form of the character before
    size_t n_edges;
} CharNode;

// x is a form of code: its compatible decomposition is that one character.
typedef struct CharForm {
    int32_t code, form;
} CharForm;

typedef struct MapMaker {
    CharNode *nodes; // 0 is the root
    int32_t n_nodes, capacity;
    int32_t *first_nodes; // by code, children of the root; NONE
    CharForm *forms;      // sorted by code
    size_t n_forms, forms_capacity;
    WordCounts texts; // replacements, each with its NUL; starts are the values in the trie
    DoubleArray array;
} MapMaker;

// ---- Unicode

// Decompositions that came after Unicode 13, which SentencePiece's map follows.
static bool is_later(int32_t code) {
    return (code >= 0xa7f2 && code <= 0xa7f4) || (code >= 0x10780 && code <= 0x107ba) ||
           (code >= 0x1e030 && code <= 0x1e06d);
}

static int decompose(int32_t code, bool compatible, utf8proc_int32_t parts[MOST_PARTS]) {
    int boundary = 0;
    const int options =
        UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? (int)UTF8PROC_COMPAT : 0);
    const utf8proc_ssize_t n =
        utf8proc_decompose_char(code, parts, MOST_PARTS, (utf8proc_option_t)options, &boundary);
    assert(n >= 1 && n <= MOST_PARTS);
    return (int)n;
}

// What the parts compose to, in place; how many are left.
static int compose(utf8proc_int32_t *parts, int n) {
    return (int)utf8proc_normalize_utf32(parts, n,
                                         (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
}

// The beginnings of SentencePiece's own additions; NULL: none for this character.
static const char *own_rule(int32_t code) {
    static const int32_t SPACES[] = {0x09,   0x0a,   0x0c,   0x0d,   0x1680, 0x200b, 0x200c,
                                     0x200e, 0x200f, 0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd};
    for (size_t i = 0; i < sizeof SPACES / sizeof SPACES[0]; i++) {
        if (code == SPACES[i]) {
            return " ";
        }
    }
    if (code < 0x20 || code == 0x7f || code == 0x8f || code == 0x9f) {
        return "";
    }
    return code == 0xff5e ? "\xef\xbd\x9e" : NULL; // the wide tilde stays
}

// ---- the trie over characters

static int32_t add_node(MapMaker *maker, int32_t code) {
    if (maker->n_nodes == maker->capacity) {
        maker->capacity = maker->capacity == 0 ? 1024 : 2 * maker->capacity;
        maker->nodes = memory_resize(maker->nodes, (size_t)maker->capacity * sizeof *maker->nodes);
    }
    maker->nodes[maker->n_nodes] =
        (CharNode){.code = code, .value = NONE, .first_child = NONE, .next_sibling = NONE};
    return maker->n_nodes++;
}

static int32_t find_or_add_child(MapMaker *maker, int32_t parent, int32_t code) {
    if (parent == 0 && maker->first_nodes[code] != NONE) {
        return maker->first_nodes[code];
    }
    int32_t child = parent == 0 ? NONE : maker->nodes[parent].first_child;
    while (child != NONE && maker->nodes[child].code != code) {
        child = maker->nodes[child].next_sibling;
    }
    if (child == NONE) {
        child = add_node(maker, code);
        maker->nodes[child].next_sibling = maker->nodes[parent].first_child;
        maker->nodes[parent].first_child = child;
        if (parent == 0) {
            maker->first_nodes[code] = child;
        }
    }
    return child;
}

static void add_form(MapMaker *maker, int32_t code, int32_t form) {
    if (maker->n_forms == maker->forms_capacity) {
        maker->forms_capacity = maker->forms_capacity == 0 ? 1024 : 2 * maker->forms_capacity;
        maker->forms = memory_resize(maker->forms, maker->forms_capacity * sizeof *maker->forms);
    }
    maker->forms[maker->n_forms++] = (CharForm){.code = code, .form = form};
}

static void add_character(MapMaker *maker, int32_t code) {
    utf8proc_int32_t parts[MOST_PARTS];
    utf8proc_int32_t composed[MOST_PARTS];
    const int n_parts = decompose(code, true, parts);
    if (n_parts == 1) {
        if (parts[0] != code) {
            add_form(maker, parts[0], code);
        }
        return;
    }
    if (decompose(code, false, composed) == 1) {
        return; // made of several only by compatibility: mapped as one character, never composed
    }
    memcpy(composed, parts, sizeof composed);
    if (compose(composed, n_parts) != 1) {
        return;
    }
    int32_t node = 0;
    for (int i = 0; i < n_parts; i++) {
        node = find_or_add_child(maker, node, parts[i]);
    }
    maker->nodes[node].value = composed[0];
}

static int compare_forms(const void *a, const void *b) {
    const CharForm *left = a;
    const CharForm *right = b;
    if (left->code != right->code) {
        return left->code < right->code ? -1 : 1;
    }
    return (left->form > right->form) - (left->form < right->form);
}

static void add_all_characters(MapMaker *maker) {
    maker->first_nodes = memory_resize(NULL, (LAST_CODE + 1) * sizeof *maker->first_nodes);
    memset(maker->first_nodes, 0xff, (LAST_CODE + 1) * sizeof *maker->first_nodes);
    add_node(maker, 0);
    for (int32_t code = 0x80; code <= LAST_CODE; code++) {
        const bool is_korean = code >= 0xac00 && code <= 0xd7a3;
        if (is_later(code) || (code >= 0xd800 && code <= 0xdfff) ||
            (!is_korean && utf8proc_get_property(code)->decomp_seqindex == UINT16_MAX)) {
            continue;
        }
        add_character(maker, code);
    }
    if (maker->n_forms > 0) {
        qsort(maker->forms, maker->n_forms, sizeof *maker->forms, compare_forms);
    }
}

static size_t first_form(const MapMaker *maker, int32_t code) {
    size_t low = 0;
    size_t high = maker->n_forms;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (maker->forms[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- from characters to bytes

typedef struct CharEdge {
    uint8_t bytes[4];
    int n_bytes;
    bool has_value;
    uint32_t base;
} CharEdge;

typedef struct CharEdges {
    CharEdge *edges;
    size_t n, capacity;
} CharEdges;

static void append_edge(CharEdges *edges, int32_t code, uint32_t base, bool has_value) {
    if (edges->n == edges->capacity) {
        edges->capacity = edges->capacity == 0 ? 64 : 2 * edges->capacity;
        edges->edges = memory_resize(edges->edges, edges->capacity * sizeof *edges->edges);
    }
    CharEdge *edge = &edges->edges[edges->n++];
    *edge = (CharEdge){.base = base, .has_value = has_value};
    edge->n_bytes = (int)utf8proc_encode_char(code, edge->bytes);
}

static int compare_edges(const void *a, const void *b) {
    return memcmp(((const CharEdge *)a)->bytes, ((const CharEdge *)b)->bytes, 4);
}

// The edges by the byte at depth of those characters, which are equal before it; blocks below are
// placed. edges_out holds 256.
static size_t group_edges(DoubleArray *array, const CharEdge *edges, size_t n, int depth,
                          DoubleArrayEdge *edges_out) {
    size_t n_out = 0;
    for (size_t first = 0, end = 0; first < n; first = end) {
        const uint8_t byte = edges[first].bytes[depth];
        end = first + 1;
        while (end < n && edges[end].bytes[depth] == byte) {
            end++;
        }
        DoubleArrayEdge *out = &edges_out[n_out++];
        *out = (DoubleArrayEdge){.byte = byte};
        if (edges[first].n_bytes == depth + 1) {
            out->base = edges[first].base;
            out->has_value = edges[first].has_value;
            continue;
        }
        DoubleArrayEdge below[256];
        const size_t n_below = group_edges(array, edges + first, end - first, depth + 1, below);
        out->base = double_array_place(array, below, n_below, -1);
    }
    return n_out;
}

static int64_t value_of(MapMaker *maker, const char *text) {
    const size_t length = strlen(text) + 1;
    const size_t n_before = maker->texts.n_words;
    const size_t start = maker->texts.bytes.length;
    word_counts_add(&maker->texts, text, length, 1);
    if (maker->texts.n_words > n_before) {
        return (int64_t)start;
    }
    return (int64_t)word_counts_find(&maker->texts, text, length)->start;
}

static int64_t value_of_code(MapMaker *maker, int32_t code) {
    char text[5] = {0};
    utf8_write(code, text);
    return value_of(maker, text);
}

static void keep_edges(MapMaker *maker, int32_t node, CharEdges *edges) {
    if (edges->n > 0) {
        qsort(edges->edges, edges->n, sizeof *edges->edges, compare_edges);
    }
    DoubleArrayEdge grouped[256];
    const size_t n = group_edges(&maker->array, edges->edges, edges->n, 0, grouped);
    maker->nodes[node].edges = memory_resize(NULL, n * sizeof *grouped);
    memcpy(maker->nodes[node].edges, grouped, n * sizeof *grouped);
    maker->nodes[node].n_edges = n;
    free(edges->edges);
}

// Places all that is below node, which is not the root. At most four characters deep.
static void place_below(MapMaker *maker, int32_t node) {
    CharEdges edges = {0};
    for (int32_t child = maker->nodes[node].first_child; child != NONE;
         child = maker->nodes[child].next_sibling) {
        place_below(maker, child);
        const CharNode *below = &maker->nodes[child];
        const bool has_value = below->value != NONE;
        const uint32_t base =
            double_array_place(&maker->array, below->edges, below->n_edges,
                               has_value ? value_of_code(maker, below->value) : -1);
        append_edge(&edges, below->code, base, has_value);
        for (size_t i = first_form(maker, below->code);
             i < maker->n_forms && maker->forms[i].code == below->code; i++) {
            append_edge(&edges, maker->forms[i].form, base, has_value);
        }
    }
    keep_edges(maker, node, &edges);
}

// The replacement of a single character: its NFKC form, or our own; false where it stays.
static bool replace_single(int32_t code, char text[4 * MOST_PARTS + 1]) {
    const char *own = own_rule(code);
    if (own != NULL) {
        memcpy(text, own, strlen(own) + 1);
        return code != 0xff5e;
    }
    utf8proc_int32_t parts[MOST_PARTS];
    const int n = compose(parts, decompose(code, true, parts));
    if (is_later(code) || (n == 1 && parts[0] == code)) {
        return false;
    }
    size_t end = 0;
    for (int i = 0; i < n; i++) {
        end += utf8_write(parts[i], text + end);
    }
    text[end] = '\0';
    return true;
}

// What stands at the root: every character that is mapped or that others may follow.
static void place_root(MapMaker *maker) {
    for (int32_t node = maker->nodes[0].first_child; node != NONE;
         node = maker->nodes[node].next_sibling) {
        place_below(maker, node);
    }
    CharEdges edges = {0};
    for (int32_t code = 1; code <= LAST_CODE; code++) {
        if (code >= 0xd800 && code <= 0xdfff) {
            continue;
        }
        char text[4 * MOST_PARTS + 1];
        utf8proc_int32_t parts[MOST_PARTS];
        const bool is_single = decompose(code, true, parts) == 1;
        const int32_t node = is_later(code) || !is_single ? NONE : maker->first_nodes[parts[0]];
        const bool has_value = replace_single(code, text);
        if (node == NONE && !has_value) {
            continue;
        }
        const uint32_t base = double_array_place(
            &maker->array, node == NONE ? NULL : maker->nodes[node].edges,
            node == NONE ? 0 : maker->nodes[node].n_edges, has_value ? value_of(maker, text) : -1);
        append_edge(&edges, code, base, has_value);
    }
    keep_edges(maker, 0, &edges);
    double_array_finish(&maker->array, double_array_place(&maker->array, maker->nodes[0].edges,
                                                          maker->nodes[0].n_edges, -1));
}

static void append_word(Buffer *map, uint32_t word) {
    const char bytes[4] = {(char)(word & 255), (char)(word >> 8 & 255), (char)(word >> 16 & 255),
                           (char)(word >> 24)};
    buffer_append(map, bytes, 4);
}

void charsmap_append_nfkc(Buffer *map) {
    MapMaker maker = {0};
    add_all_characters(&maker);
    place_root(&maker);
    append_word(map, (uint32_t)(4 * maker.array.size));
    for (size_t i = 0; i < maker.array.size; i++) {
        append_word(map, maker.array.units[i]);
    }
    buffer_append(map, maker.texts.bytes.bytes, maker.texts.bytes.length);
    for (int32_t i = 0; i < maker.n_nodes; i++) {
        free(maker.nodes[i].edges);
    }
    free(maker.nodes);
    free(maker.first_nodes);
    free(maker.forms);
    word_counts_free(&maker.texts);
    double_array_free(&maker.array);
}
