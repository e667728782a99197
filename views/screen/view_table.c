// view_table.c - lines of a label and a value, values under one another, scrolled as a list.
#include "views/screen/view_table.h"

#include <assert.h>
#include <stdio.h>

static TableLine *new_line(ViewTable *table, Style style) {
    assert(table->n < TABLE_LINES);
    TableLine *line = &table->lines[table->n++];
    *line = (TableLine){.style = style};
    return line;
}

void view_table_heading(ViewTable *table, Language language, ViewTextId label, const char *a,
                        const char *b, const char *c) {
    TableLine *line = new_line(table, STYLE_HEADING);
    view_text_fill(line->label, sizeof line->label, view_text(language, label), a, b, c);
}

void view_table_value(ViewTable *table, Language language, ViewTextId label, const char *a,
                      const char *value) {
    TableLine *line = new_line(table, STYLE_TEXT);
    view_text_fill(line->label, sizeof line->label, view_text(language, label), a, NULL, NULL);
    snprintf(line->value, sizeof line->value, "%s", value);
}

void view_table_number(ViewTable *table, Language language, ViewTextId label, size_t number) {
    char text[TEXT_GROUPED_BYTES];
    view_table_value(table, language, label, NULL, text_grouped(number, text));
}

void view_table_rule(ViewTable *table) {
    new_line(table, STYLE_BORDER)->is_rule = true;
}

void view_table_draw(const ViewTable *table, int scroll, Canvas *canvas) {
    int last = table->n - canvas->height;
    int first = last < 0 ? 0 : scroll < last ? scroll : last;
    canvas_tell_list(canvas, first, table->n);
    for (int i = first; i < table->n; i++) {
        const TableLine *line = &table->lines[i];
        if (line->is_rule) {
            canvas_line_across(canvas, 0, i - first, TABLE_LABEL + TABLE_VALUE, line->style);
            continue;
        }
        canvas_text(canvas, 0, i - first, line->style, line->label);
        if (line->value[0] != '\0') {
            canvas_text_in(canvas, TABLE_LABEL, i - first, TABLE_VALUE, ALIGN_RIGHT, STYLE_NUMBER,
                           line->value);
        }
    }
}
