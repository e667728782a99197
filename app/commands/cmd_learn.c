// cmd_learn.c - `attend learn` and `attend lessons`: options, then the screen or plain text.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/app.h"
#include "app/learn/learn.h"
#include "app/learn/plain_page.h"
#include "app/options.h"
#include "app/screen_options.h"
#include "app/output.h"
#include "engine/devices/device.h"

static const char HELP[] =
    "usage: attend learn [LESSON] [OPTION...]\n"
    "\n"
    "LESSON is a number, a name or a file of one's own (FILE.md); without it a menu opens.\n"
    "\n"
    "  --lang en|zh          the language of lesson and screen; w changes it\n"
    "  --theme dark|light|mono\n"
    "  --color MODE          none, 8, 16, 256 or true, by default as TERM, COLORTERM and NO_COLOR "
    "say;\n                        more colours than TERM has are refused, except true\n  "
    "--autoplay SECONDS    goes on by itself\n"
    "  --at STATE            opens the place that the key S has printed\n"
    "  --picture FILE.png    draws the screen at that place as a picture; needs no terminal\n"
    "  --size COLUMNSxROWS   of the picture: 100x30, or 60x16 to 400x200\n"
    "  --device D            what computes: cpu, cuda, or auto: a GPU if there is one\n"
    "  --plain               lines of text; commands are typed\n"
    "  --check               plays the lesson and prints each claim of its text that does not "
    "hold\n"
    "  --width N             columns of those lines; the terminal's, or 80\n"
    "  --ascii               lines and signs with ASCII alone\n"
    "  --no-mouse            leaves the mouse to the terminal\n"
    "  --help\n";

enum {
    FIRST_OPTION = 256,
    OPTION_LANG = FIRST_OPTION,
    OPTION_THEME,
    OPTION_COLOR,
    OPTION_AUTOPLAY,
    OPTION_AT,
    OPTION_PICTURE,
    OPTION_SIZE,
    OPTION_DEVICE,
    OPTION_PLAIN,
    OPTION_CHECK,
    OPTION_WIDTH,
    OPTION_ASCII,
    OPTION_NO_MOUSE,
    OPTION_HELP,
};

static const struct option OPTIONS[] = {
    // in the order above
    {"lang", required_argument, NULL, OPTION_LANG},
    {"theme", required_argument, NULL, OPTION_THEME},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"autoplay", required_argument, NULL, OPTION_AUTOPLAY},
    {"at", required_argument, NULL, OPTION_AT},
    {"picture", required_argument, NULL, OPTION_PICTURE},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"plain", no_argument, NULL, OPTION_PLAIN},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"ascii", no_argument, NULL, OPTION_ASCII},
    {"no-mouse", no_argument, NULL, OPTION_NO_MOUSE},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static bool take_seconds(double *seconds, const char *value, Error *err) {
    char *end = NULL;
    *seconds = strtod(value, &end);
    bool is_good = end != value && *end == '\0' && *seconds >= 0.01 && *seconds <= 3600.0;
    return is_good ||
           error_set(err, "--autoplay: expected 0.01 to 3600 seconds, found \"%s\"", value);
}

static bool take_size(LearnOptions *options, const char *value, Error *err) {
    enum { MOST_COLUMNS = 400, MOST_ROWS = 200 };
    char *cross = NULL;
    char *end = NULL;
    long columns = strtol(value, &cross, 10);
    long rows = *cross == 'x' ? strtol(cross + 1, &end, 10) : 0;
    bool has_signs = value[strspn(value, "0123456789x")] != '\0';
    bool is_good = !has_signs && end != NULL && *end == '\0' && columns >= SCREEN_MIN_WIDTH &&
                   columns <= MOST_COLUMNS && rows >= SCREEN_MIN_HEIGHT && rows <= MOST_ROWS;
    options->picture_width = (int)(is_good ? columns : 0);
    options->picture_height = (int)(is_good ? rows : 0);
    return is_good ||
           error_set(err, "--size: expected COLUMNSxROWS, %dx%d to %dx%d, found \"%s\"",
                     SCREEN_MIN_WIDTH, SCREEN_MIN_HEIGHT, MOST_COLUMNS, MOST_ROWS, value);
}

// What comes of the lesson.
typedef enum Outcome { OUTCOME_PICTURE, OUTCOME_CHECK, OUTCOME_LINES, OUTCOME_SCREEN } Outcome;

// What is said and would do nothing is refused.
static bool check_effects(unsigned given, Outcome outcome, Error *err) {
    enum {
        ON_PICTURE = 1 << OUTCOME_PICTURE,
        ON_CHECK = 1 << OUTCOME_CHECK,
        ON_LINES = 1 << OUTCOME_LINES,
        ON_SCREEN = 1 << OUTCOME_SCREEN,
    };
    static const char *const NAMES[] = {"a picture", "--check", "lines of text", "the screen"};
    static const struct {
        int option;
        unsigned on; // what it has an effect on
    } EFFECTS[] = {
        {OPTION_THEME, ON_PICTURE | ON_SCREEN},
        {OPTION_COLOR, ON_SCREEN},
        {OPTION_AUTOPLAY, ON_SCREEN},
        {OPTION_AT, ON_PICTURE | ON_LINES | ON_SCREEN},
        {OPTION_PLAIN, ON_LINES},
        {OPTION_CHECK, ON_CHECK},
        {OPTION_WIDTH, ON_LINES},
        {OPTION_ASCII, ON_PICTURE | ON_LINES | ON_SCREEN},
        {OPTION_NO_MOUSE, ON_SCREEN},
    };
    for (size_t i = 0; i < sizeof EFFECTS / sizeof EFFECTS[0]; i++) {
        int option = EFFECTS[i].option - FIRST_OPTION;
        bool is_idle = (given & 1U << option) != 0 && (EFFECTS[i].on & 1U << outcome) == 0;
        const IdleOption idle = {OPTIONS[option].name, is_idle, NAMES[outcome]};
        if (!options_refuse_idle(&idle, 1, err)) {
            return false;
        }
    }
    return true;
}

static bool check_picture(LearnOptions *options, Error *err) {
    if (options->picture == NULL) {
        return options->picture_width == 0 || error_set(err, "--size belongs to --picture");
    }
    size_t length = strlen(options->picture);
    if (length < 5 || strcasecmp(options->picture + length - 4, ".png") != 0) {
        return error_set(err, "--picture: expected a file that ends in .png, found \"%s\"",
                         options->picture);
    }
    if (options->picture_width == 0) {
        options->picture_width = 100;
        options->picture_height = 30;
    }
    return true;
}

static bool take_width(int *width, const char *value, Error *err) {
    char *end = NULL;
    long number = strtol(value, &end, 10);
    bool is_good =
        end != value && *end == '\0' && number >= PLAIN_MIN_WIDTH && number <= PLAIN_MAX_WIDTH;
    *width = is_good ? (int)number : 0;
    return is_good || error_set(err, "--width: expected %d to %d columns, found \"%s\"",
                                PLAIN_MIN_WIDTH, PLAIN_MAX_WIDTH, value);
}

static bool take_option(LearnOptions *options, int option, const char *value, Error *err) {
    switch (option) {
    case OPTION_LANG:
        return screen_language_find(&options->language, value, err);
    case OPTION_THEME:
        return theme_find(&options->terminal.theme, value, err);
    case OPTION_COLOR:
        options->terminal.has_depth = true;
        return colour_depth_find(&options->terminal.depth, value, err);
    case OPTION_AUTOPLAY:
        return take_seconds(&options->autoplay_seconds, value, err);
    case OPTION_AT:
        options->state = value;
        return true;
    case OPTION_PICTURE:
        options->picture = value;
        return true;
    case OPTION_SIZE:
        return take_size(options, value, err);
    case OPTION_DEVICE:
        options->device = value;
        return device_check_name(value, err);
    case OPTION_PLAIN:
        options->plain = true;
        return true;
    case OPTION_CHECK:
        options->check = true;
        return true;
    case OPTION_WIDTH:
        return take_width(&options->plain_width, value, err);
    case OPTION_ASCII:
        options->terminal.ascii = true;
        return true;
    case OPTION_NO_MOUSE:
        options->terminal.no_mouse = true;
        return true;
    default:
        return true;
    }
}

static int play(const LearnOptions *options, Outcome outcome, Error *err) {
    switch (outcome) {
    case OUTCOME_PICTURE:
        return learn_picture(options, err);
    case OUTCOME_CHECK:
        return learn_check(options, err);
    case OUTCOME_LINES:
        return learn_plain(options, err);
    case OUTCOME_SCREEN:
        return learn_run(options, err);
    }
    return APP_FAILED;
}

int app_learn(int argc, char **argv) {
    LearnOptions options = {.language = screen_language_of_locale(),
                            .terminal = {.instead = "`attend learn --plain` needs no terminal"}};
    Error err = {""};
    unsigned given = 0;
    int option = 0;
    while ((option = app_option(argc, argv, "", OPTIONS)) != -1) {
        if (option == '?') {
            return app_usage("learn");
        }
        if (option == OPTION_HELP) {
            output_text(HELP);
            return APP_OK;
        }
        if (!take_option(&options, option, optarg, &err)) {
            return app_wrong("learn", &err);
        }
        given |= 1U << (option - FIRST_OPTION);
    }
    if (argc - optind > 1) {
        error_set(&err, "expected one lesson, found \"%s\" as well", argv[optind + 1]);
        return app_wrong("learn", &err);
    }
    options.lesson = optind < argc ? argv[optind] : NULL;
    bool is_plain = options.plain || !isatty(STDOUT_FILENO);
    Outcome outcome = options.picture != NULL ? OUTCOME_PICTURE
                      : options.check         ? OUTCOME_CHECK
                      : is_plain              ? OUTCOME_LINES
                                              : OUTCOME_SCREEN;
    if (!check_effects(given, outcome, &err) || !check_picture(&options, &err)) {
        return app_wrong("learn", &err);
    }
    int status = play(&options, outcome, &err);
    return error_is_set(&err) ? app_failed("learn", &err) : status;
}

int app_lessons(int argc, char **argv) {
    LearnOptions options = {.language = screen_language_of_locale()};
    Error err = {""};
    static const struct option LIST_OPTIONS[] = {{"lang", required_argument, NULL, OPTION_LANG},
                                                 {"help", no_argument, NULL, OPTION_HELP},
                                                 {NULL, 0, NULL, 0}};
    int option = 0;
    while ((option = app_option(argc, argv, "", LIST_OPTIONS)) != -1) {
        if (option == OPTION_HELP) {
            output_text("usage: attend lessons [--lang en|zh]\n");
            return APP_OK;
        }
        if (option == '?' || !take_option(&options, option, optarg, &err)) {
            return option == '?' ? app_usage("lessons") : app_wrong("lessons", &err);
        }
    }
    if (optind < argc) {
        error_set(&err, "expected options only, found \"%.60s\"", argv[optind]);
        return app_wrong("lessons", &err);
    }
    return learn_plain(&options, &err) == 0 ? APP_OK : app_failed("lessons", &err);
}
