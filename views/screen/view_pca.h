// view_pca.h - the two main axes of a set of points (Pearson 1901), by power iteration.
#ifndef VIEWS_SCREEN_VIEW_PCA_H
#define VIEWS_SCREEN_VIEW_PCA_H

#include <stdbool.h>

// Puts x, y of each of the n rows of `values` (n, width) into points (2 n), and the part of the
// variance along each axis into explained. Rows are centred first. The same input gives the same
// signs: of each axis the largest entry is positive. False without memory.
bool view_pca(const float *values, int n, int width, float *points, double explained[2]);

#endif
