// test_training_view.c - the curve of a run of any length shows how the loss descended.
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/playground/training_run.h"
#include "views/screen/view_private.h"

enum { WIDTH = 58, HEIGHT = 13, FIRST_ROW = 1, ROWS = 11, AXIS = 9 };

// In how many rows of the chart the curve falls, and how many columns it takes for that.
static void measure(const Canvas *canvas, int *n_rows, int *n_columns) {
    int left = WIDTH;
    int right = 0;
    *n_rows = 0;
    for (int y = FIRST_ROW; y < FIRST_ROW + ROWS - 1; y++) {
        bool has_curve = false;
        for (int x = AXIS; x < WIDTH; x++) {
            const Cell *cell = canvas_cell(canvas, x, y);
            if (cell->style == STYLE_GOOD && cell->glyph[0] != ' ') {
                has_curve = true;
                left = x < left ? x : left;
                right = x > right ? x : right;
            }
        }
        *n_rows += has_curve;
    }
    *n_columns = right - left + 1;
}

static void a_long_run_shows_its_descent(void **state) {
    (void)state;
    static const int LENGTHS[] = {100, 400, 401, 13000, 200000};
    for (int i = 0; i < 5; i++) {
        TrainingRun run = {.n_kept = 0};
        for (int step = 1; step <= LENGTHS[i]; step++) {
            training_run_append(&run, 3.0F * expf(-(float)step / 20.0F), 1.0F);
        }
        ViewTraining training = {
            .run = {run.losses, run.norms, run.n_steps, run.steps, run.n_kept}};
        ViewState view_state = {.training = &training};
        Canvas canvas = {.cells = NULL};
        assert_true(canvas_fit(&canvas, WIDTH, HEIGHT));
        view_training.draw(&view_state, &canvas);
        int n_rows = 0;
        int n_columns = 0;
        measure(&canvas, &n_rows, &n_columns);
        assert_int_equal(n_rows, ROWS - 1);
        assert_true(LENGTHS[i] == 400 || n_columns > WIDTH / 4);
        canvas_free(&canvas);
        training_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_run_shows_its_descent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
