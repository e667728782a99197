// cmd_heads.c - `attend heads`: which head looks at the right word, and what the model loses
// without it.
#include <string.h>

#include "app/app.h"
#include "app/commands/heads_run.h"
#include "app/options.h"
#include "app/output.h"
#include "engine/base/plural.h"

enum { MOST_OPTIONS = 16 };

typedef struct HeadsCommand {
    ModelChoice choice;
    const char *sentences;
    bool help;
} HeadsCommand;

static size_t list_options(HeadsCommand *command, Option *options) {
    const Option all[] = {
        MODEL_CHOICE_MODEL(&command->choice),
        {"sentences", 0, OPTION_TEXT, &command->sentences,
         "a text, a tab, the word that follows, a tab, a word that does not; one a line"},
        MODEL_CHOICE_OTHERS(&command->choice, "seed of the initial weights"),
        {"help", 'h', OPTION_FLAG, &command->help, "show this"},
    };
    _Static_assert(sizeof all / sizeof all[0] <= MOST_OPTIONS, "room for all options");
    memcpy(options, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void print_result(const HeadsResult *result) {
    double n = result->n_clozes;
    output_print(
        "%d sentence%s: loss of the right word %.4f nats; it is likelier than the wrong one "
        "in %d\n\n",
        result->n_clozes, plural(result->n_clozes), result->loss / n, result->n_preferred);
    output_text("layer  head   right   wrong  difference  more on the right  loss without it\n");
    for (int i = 0; i < result->n_heads; i++) {
        const HeadScore *head = &result->heads[i];
        output_print("%5d  %4d  %6.3f  %6.3f  %10.3f  %17d  %15.4f\n", head->layer, head->head,
                     head->right / n, head->wrong / n, (head->right - head->wrong) / n,
                     head->n_right, head->loss / n);
    }
}

int app_heads(int argc, char **argv) {
    HeadsCommand command = {.sentences = NULL};
    Option options[MOST_OPTIONS];
    size_t n_options = list_options(&command, options);
    uint64_t given = 0;
    int first = 0;
    Error err = {""};
    bool ok = options_read(argc, argv, options, n_options, &first, &given, &err);
    if (ok && command.help) {
        output_text("usage: attend heads --model M --sentences FILE [OPTION...]\n\n"
                    "Where the last token of each text looks: the mean weight of every head on the "
                    "word that\nfollows and on one that does not, both words of the text; and the "
                    "loss of the right\nword when that head is switched off. The largest "
                    "difference first.\n\n");
        options_print(options, n_options);
        return APP_OK;
    }
    if (ok && first < argc) {
        ok = error_set(&err, "expected options only, found \"%.60s\"", argv[first]);
    }
    command.choice.has_seed = options_has(options, n_options, given, "seed");
    ok = ok && model_choice_check(&command.choice, &err) &&
         (command.sentences != NULL || error_set(&err, "--sentences: expected a file"));
    if (!ok) {
        return app_wrong("heads", &err);
    }
    HeadsResult result = {.n_clozes = 0};
    ok = heads_run(&result, &command.choice, command.sentences, &err);
    if (ok) {
        print_result(&result);
    }
    heads_free(&result);
    return ok ? APP_OK : app_failed("heads", &err);
}
