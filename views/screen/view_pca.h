// view_pca.h - the two main axes of a set of points (Pearson 1901), by power iteration.
#ifndef VIEWS_SCREEN_VIEW_PCA_H
#define VIEWS_SCREEN_VIEW_PCA_H

#include <stdbool.h>

// Work that can be done in slices. A zeroed one is ready to begin.
typedef struct ViewPca {
    const float *values; // (n, width), borrowed
    int n, width;
    double *memory; // owned; the mean, both axes and one more of that width
    double total;   // variance
    int axis;       // at work; 2: all is done
    int iteration;  // of it
} ViewPca;

// Rows are centred. False without memory. Begins anew where it has begun.
bool view_pca_begin(ViewPca *pca, const float *values, int n, int width);
void view_pca_free(ViewPca *pca);

// Goes on by one step. True when all is done: x, y of each row are in points (2 n), and the part of
// the variance along each axis is in explained. The same input gives the same signs: of each axis
// the largest entry is positive.
bool view_pca_step(ViewPca *pca, float *points, double explained[2]);

double view_pca_part(const ViewPca *pca); // that is done, 0 to 1

// All of it at once.
bool view_pca(const float *values, int n, int width, float *points, double explained[2]);

#endif
