// heatmap_csv.c - the numbers of a heatmap as comma-separated values (RFC 4180).
#include <math.h>
#include <string.h>

#include "views/pictures/heatmap.h"
#include "views/text_buffer.h"
#include "engine/base/plain_nan.h"

// A field with a comma, a quote or a line break stands in quotes, quotes doubled. Labels are the
// tokens' own bytes.
static void append_field(TextBuffer *buffer, const char *text) {
    bool is_quoted = strpbrk(text, ",\"\r\n") != NULL || text[0] == ' ' || text[0] == '\0' ||
                     text[strlen(text) - 1] == ' ';
    if (!is_quoted) {
        text_buffer_text(buffer, text);
        return;
    }
    text_buffer_text(buffer, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        text_buffer_append(buffer, c, 1);
        if (*c == '"') {
            text_buffer_append(buffer, c, 1);
        }
    }
    text_buffer_text(buffer, "\"");
}

static void append_place(TextBuffer *buffer, int number, const char *otherwise) {
    if (number >= 0) {
        text_buffer_print(buffer, "%d,", number);
    } else {
        text_buffer_print(buffer, "%s,", otherwise);
    }
}

static void append_panel(TextBuffer *buffer, const Heatmap *heatmap, const HeatmapPanel *panel) {
    const float *value = panel->values;
    for (int row = 0; row < heatmap->n_rows && heatmap_goes_on(heatmap, panel, row); row++) {
        for (int column = 0; column < heatmap->n_columns; column++) {
            append_place(buffer, panel->layer, "");
            append_place(buffer, panel->head, heatmap->is_mean ? "mean" : "");
            append_field(buffer, heatmap->row_labels[row]);
            if (heatmap->row_next != NULL) {
                text_buffer_text(buffer, ",");
                append_field(buffer, heatmap->row_next[row]);
            }
            text_buffer_text(buffer, ",");
            append_field(buffer, heatmap->column_labels[column]);
            text_buffer_print(buffer, ",%.9g\n", plain_nan((double)*value));
            value++;
        }
    }
}

bool heatmap_csv(const Heatmap *heatmap, char **text, size_t *size_bytes, Error *err) {
    TextBuffer buffer = {0};
    text_buffer_text(&buffer, "layer,head,");
    append_field(&buffer, heatmap->row_axis);
    text_buffer_text(&buffer, heatmap->row_next != NULL ? ",next" : "");
    text_buffer_text(&buffer, ",");
    append_field(&buffer, heatmap->column_axis);
    text_buffer_text(&buffer, ",value\n");
    for (int i = 0; i < heatmap->n_panels; i++) {
        append_panel(&buffer, heatmap, &heatmap->panels[i]);
    }
    return text_buffer_take(&buffer, text, size_bytes, err);
}
