// stages.c - which nodes of a tape are named by shell patterns.
#include "app/stages.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool stages_add_pattern(StagePatterns *patterns, const char *pattern, Error *err) {
    if (patterns->count == STAGES_MAX_PATTERNS) {
        return error_set(err, "--stage: at most %d patterns", STAGES_MAX_PATTERNS);
    }
    patterns->patterns[patterns->count++] = pattern;
    return true;
}

bool stages_want_gradients(const StagePatterns *patterns) {
    for (int i = 0; i < patterns->count; i++) {
        if (strncmp(patterns->patterns[i], "grad.", 5) == 0) {
            return true;
        }
    }
    return false;
}

// Rows of a parameter are a way to use it, not a stage; positions that are rows have a role.
static bool is_stage(const Node *node) {
    bool is_bare_slice = node->op == OP_SLICE_ROWS && node->role == ROLE_NONE;
    return node->op != OP_PARAMETER && !is_bare_slice && node->stage != NULL;
}

static bool matches(const Node *node, const char *pattern) {
    return node->stage != NULL && fnmatch(pattern, node->stage, 0) == 0;
}

static bool is_selected(const Node *node, const StagePatterns *patterns, bool with_gradients) {
    if (patterns->count == 0) {
        return is_stage(node) && (node->phase == PHASE_FORWARD || with_gradients);
    }
    for (int i = 0; i < patterns->count; i++) {
        bool is_exact = node->stage != NULL && strcmp(patterns->patterns[i], node->stage) == 0;
        if (is_exact || (is_stage(node) && matches(node, patterns->patterns[i]))) {
            return true;
        }
    }
    return false;
}

int stages_select(const Tape *tape, const StagePatterns *patterns, bool with_gradients,
                  Node **nodes) {
    int count = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        if (is_selected(tape->nodes[i], patterns, with_gradients)) {
            nodes[count++] = tape->nodes[i];
        }
    }
    return count;
}

const char *stages_unmatched(const Tape *tape, const StagePatterns *patterns) {
    for (int k = 0; k < patterns->count; k++) {
        bool found = false;
        for (int i = 0; i < tape->n_nodes && !found; i++) {
            found = matches(tape->nodes[i], patterns->patterns[k]);
        }
        if (!found) {
            return patterns->patterns[k];
        }
    }
    return NULL;
}

bool stages_refuse(const Tape *tape, const char *pattern, Error *err) {
    const char *dot = strrchr(pattern, '.');
    const char *last = dot == NULL ? pattern : dot + 1;
    char near[ERROR_TEXT_BYTES / 2] = "";
    size_t length = 0;
    for (int i = 0; i < tape->n_nodes; i++) {
        const Node *node = tape->nodes[i];
        bool is_near = is_stage(node) && node->phase == PHASE_FORWARD &&
                       (strstr(node->stage, last) != NULL || strstr(last, node->name) != NULL);
        if (is_near && length + strlen(node->stage) + 3 < sizeof near) {
            length += (size_t)snprintf(near + length, sizeof near - length, "%s%s",
                                       length == 0 ? "" : ", ", node->stage);
        }
    }
    return error_set(err, "\"%.100s\" names no stage; %s%s", pattern,
                     length > 0 ? "near it are " : "`attend trace` lists them", near);
}
