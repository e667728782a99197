// tensor_table.h - a node's numbers as lines to be read aloud: every row and every column has its
// number and its token, and no line is wider than the reader's.
#ifndef VIEWS_TENSOR_TABLE_H
#define VIEWS_TENSOR_TABLE_H

#include "views/sentences.h"
#include "views/tensor_text.h"

enum { TENSOR_TABLE_MIN_WIDTH = 40 };

// All its numbers, matrix by matrix. A matrix that is wider than `width` columns comes in parts,
// each with the numbers of its columns over it.
void tensor_table_numbers(FileWriter *out, const Node *node, const TensorLabels *labels,
                          Language language, int width);

// Only the matrices of an item (axis B) and a head (axis H); -1: of all of them. Gives how many
// numbers those are; out NULL counts.
size_t tensor_table_part(FileWriter *out, const Node *node, const TensorLabels *labels,
                         Language language, int width, int item, int head);

// Minimum, maximum, mean, and the first and the last row from both ends.
void tensor_table_summary(FileWriter *out, const Tape *tape, const Node *node, Language language);

#endif
