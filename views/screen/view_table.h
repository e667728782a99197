// view_table.h - lines of a label and a value, values under one another, scrolled as a list.
#ifndef VIEWS_SCREEN_VIEW_TABLE_H
#define VIEWS_SCREEN_VIEW_TABLE_H

#include "views/screen/view_texts.h"
#include "views/screen/view.h"

enum { TABLE_LINES = 16, TABLE_LABEL = 24, TABLE_VALUE = 18 };

typedef struct TableLine {
    Style style;
    bool is_rule; // above a sum
    char label[112];
    char value[40];
} TableLine;

// A zeroed one is empty.
typedef struct ViewTable {
    TableLine lines[TABLE_LINES];
    int n;
} ViewTable;

// The label's {a}, {b} and {c} are filled in.
void view_table_heading(ViewTable *table, Language language, ViewTextId label, const char *a,
                        const char *b, const char *c);
void view_table_value(ViewTable *table, Language language, ViewTextId label, const char *a,
                      const char *value);
void view_table_number(ViewTable *table, Language language, ViewTextId label, size_t number);
void view_table_rule(ViewTable *table);

void view_table_draw(const ViewTable *table, int scroll, Canvas *canvas);

#endif
