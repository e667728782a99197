// command.h - the one vocabulary: keys, the `:` prompt, help, lessons and scripts all speak it.
#ifndef APP_LEARN_COMMAND_H
#define APP_LEARN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

// X(ID, "name", "keys, spaces between", ARGUMENT, NEEDS, part, function, place, help and hint in
// English and in Chinese: "help", "帮助", "hint", "提示"): how it is called, what presses it, what
// may follow the name, whether a model has to be open, which part of the program carries it out
// with which function (learn_execute alone calls it; it is declared below), and where its keys
// stand in the line of keys (two of the same number share a place, 0: nowhere). Help is one line;
// the hint is the word beside the keys, "" for none.
#define COMMAND_LIST(X)                                                                            \
    /* stepping */                                                                                 \
    X(NEXT, "next", "n", COUNT, MODEL, bench, workbench_do_step, 2,                                \
      "one step forward: the next node runs", "前进一步：计算下一个节点", "step", "步")            \
    X(BACK, "back", "p", COUNT, MODEL, bench, workbench_do_step, 2, "one step back", "后退一步",   \
      "", "")                                                                                      \
    X(CONTINUE, "continue", "Space", NONE, NOTHING, learn, learn_do_continue, 1,                   \
      "go on with the lesson", "继续上课", "go on", "继续")                                        \
    X(INTO, "into", "i", NONE, MODEL, bench, workbench_do_step, 6, "into the next scope",          \
      "进入下一个模块", "into/out", "进/出")                                                       \
    X(OUT, "out", "o", NONE, MODEL, bench, workbench_do_step, 6, "out of this scope",              \
      "走出这个模块", "", "")                                                                      \
    X(OVER, "over", "N", NONE, MODEL, bench, workbench_do_step, 0, "forward over a whole scope",   \
      "前进，整个模块算一步", "", "")                                                              \
    X(OVER_BACK, "over-back", "P", NONE, MODEL, bench, workbench_do_step, 0,                       \
      "back over a whole scope", "后退，整个模块算一步", "", "")                                   \
    X(FIRST, "first", "0 Home", NONE, MODEL, bench, workbench_do_step, 0, "to the first step",     \
      "到第一步", "", "")                                                                          \
    X(LAST, "last", "$ End G", NONE, MODEL, bench, workbench_do_step, 0, "to the last step",       \
      "到最后一步", "", "")                                                                        \
    X(LOSS, "loss", "L", NONE, MODEL, bench, workbench_do_step, 0, "to the loss", "到损失", "",    \
      "")                                                                                          \
    X(GO, "go", "", STAGE, MODEL, bench, workbench_do_go, 0, "to the stage of that name",          \
      "到这个名字的步骤", "", "")                                                                  \
    X(SHOW, "show", "", STAGE, MODEL, bench, workbench_do_go, 0, "look at a stage or a parameter", \
      "看一个步骤或参数", "", "")                                                                  \
    X(SEARCH, "search", "/", TEXT, NOTHING, learn, learn_do_search, 0,                             \
      "find a stage or a word of the lesson", "查找步骤，或课文里的词", "", "")                    \
    X(SEARCH_NEXT, "search-next", "f", NONE, MODEL, learn, learn_do_search, 0,                     \
      "to the next match", "下一处", "", "")                                                       \
    X(SEARCH_BACK, "search-back", "F", NONE, MODEL, learn, learn_do_search, 0,                     \
      "to the previous match", "上一处", "", "")                                                   \
    /* cells */                                                                                    \
    X(UP, "up", "Up k", COUNT, MODEL, screen, screen_do_move, 0, "one cell up", "上移一格", "",    \
      "")                                                                                          \
    X(DOWN, "down", "Down j", COUNT, MODEL, screen, screen_do_move, 0, "one cell down",            \
      "下移一格", "", "")                                                                          \
    X(LEFT, "left", "Left h", COUNT, MODEL, screen, screen_do_move, 0, "one cell left",            \
      "左移一格", "", "")                                                                          \
    X(RIGHT, "right", "Right l", COUNT, MODEL, screen, screen_do_move, 0, "one cell right",        \
      "右移一格", "", "")                                                                          \
    X(CELL, "cell", "", CELL, MODEL, cursor, cursor_do_cell, 0,                                    \
      "to a cell, such as logits[0,1,5]", "到一格，例如 logits[0,1,5]", "", "")                    \
    X(FOLLOW, "follow", "Enter", NONE, MODEL, screen, screen_do_follow, 4,                         \
      "go to the largest source of this number; again: to the next one",                           \
      "到这个数的最大来源；再按一次：下一个来源", "why", "来源")                                   \
    X(RETURN, "return", "Bksp", NONE, MODEL, screen, screen_do_return, 0,                          \
      "back to the cell you came from", "回到来时的那一格", "", "")                                \
    X(HEAD_BACK, "head-back", ",", NONE, MODEL, cursor, cursor_do_slice, 7, "the previous head",   \
      "上一个头", "", "")                                                                          \
    X(HEAD_NEXT, "head-next", ".", NONE, MODEL, cursor, cursor_do_slice, 7, "the next head",       \
      "下一个头", "head", "头")                                                                    \
    X(ITEM_BACK, "item-back", "<", NONE, MODEL, cursor, cursor_do_slice, 8,                        \
      "the previous batch item", "批次里的上一项", "", "")                                         \
    X(ITEM_NEXT, "item-next", ">", NONE, MODEL, cursor, cursor_do_slice, 8, "the next batch item", \
      "批次里的下一项", "item", "批次项")                                                          \
    X(LAYER_BACK, "layer-back", "-", NONE, MODEL, cursor, cursor_do_layer, 0,                      \
      "the same stage one layer lower", "低一层的同一步", "", "")                                  \
    X(LAYER_NEXT, "layer-next", "+ =", NONE, MODEL, cursor, cursor_do_layer, 0,                    \
      "the same stage one layer higher", "高一层的同一步", "", "")                                 \
    X(COPY, "copy", "y", NONE, MODEL, screen, screen_do_copy, 0, "copy the number and its place",  \
      "复制这个数和它的位置", "", "")                                                              \
    /* panes and views */                                                                          \
    X(VIEW, "view", "v", VIEW, NOTHING, screen, screen_do_view, 5,                                 \
      "the next view of this, or one by its name", "换一种视图，或按名字选", "view", "视图")       \
    X(VIEW_BACK, "view-back", "V", NONE, NOTHING, screen, screen_do_view, 0, "the previous view",  \
      "上一种视图", "", "")                                                                        \
    X(PANE_NEXT, "pane-next", "Tab", NONE, NOTHING, screen, screen_do_pane, 9, "the next pane",    \
      "下一个窗格", "pane", "窗格")                                                                \
    X(PANE_BACK, "pane-back", "Shift-Tab", NONE, NOTHING, screen, screen_do_pane, 0,               \
      "the previous pane", "上一个窗格", "", "")                                                   \
    X(PAGE_UP, "page-up", "PgUp", NONE, NOTHING, screen, screen_do_pane, 0, "scroll up", "向上翻", \
      "", "")                                                                                      \
    X(PAGE_DOWN, "page-down", "PgDn", NONE, NOTHING, screen, screen_do_pane, 0, "scroll down",     \
      "向下翻", "", "")                                                                            \
    X(ZOOM, "zoom", "z", SWITCH, NOTHING, screen, screen_do_toggle, 0,                             \
      "this pane on the whole screen", "这个窗格占满屏幕", "", "")                                 \
    X(SPOTLIGHT, "spotlight", "s", SWITCH, NOTHING, screen, screen_do_toggle, 0,                   \
      "dim everything but this pane", "聚光：其他窗格变暗", "", "")                                \
    X(BIG, "big", "b", SWITCH, NOTHING, screen, screen_do_toggle, 0, "this number in big digits",  \
      "用大字显示这个数", "", "")                                                                  \
    X(HEAT, "heat", "H", HEAT, NOTHING, screen, screen_do_heat, 0,                                 \
      "colours on one scale (linear), or on one for each row",                                     \
      "颜色用同一个色标（linear），或每行一个（row）", "", "")                                     \
    X(EXPORT, "export", "x", FILE, NOTHING, screen, screen_do_export, 0,                           \
      "write a file: this view as .png or .txt, its matrix as .svg or .csv",                       \
      "写入文件：视图写成 .png 或 .txt，其中的矩阵写成 .svg 或 .csv", "", "")                      \
    X(THEME, "theme", "d", THEME, NOTHING, screen, screen_do_theme, 0, "dark, light or mono",      \
      "深色、浅色或无色", "", "")                                                                  \
    X(LANGUAGE, "language", "w", LANGUAGE, NOTHING, learn, learn_do_language, 0,                   \
      "English or Chinese", "英文或中文", "", "")                                                  \
    X(HELP, "help", "? F1", TEXT, NOTHING, screen, screen_do_help, 3,                              \
      "this list, or its lines that hold a word", "显示这张表，或其中含有某个词的行", "help",      \
      "帮助")                                                                                      \
    X(LESSONS, "lessons", "", TEXT, NOTHING, learn, learn_do_lessons, 0,                           \
      "the menu of lessons, or those that hold a word", "课程目录，或其中含有某个词的课", "", "")  \
    X(STATE, "state", "S", NONE, NOTHING, learn, learn_do_state, 0,                                \
      "the command that comes back to this place", "显示回到此处的命令", "", "")                   \
    X(REDRAW, "redraw", "Ctrl-L", NONE, NOTHING, screen, screen_do_redraw, 0, "redraw the screen", \
      "重画屏幕", "", "")                                                                          \
    /* changing */                                                                                 \
    X(EDIT, "edit", "e", NUMBER, MODEL, bench, workbench_do_edit, 10, "change this number",        \
      "改这个数", "edit", "改")                                                                    \
    X(UNDO, "undo", "u", NONE, MODEL, bench, workbench_do_undo, 0, "undo the last change",         \
      "撤销上一次改动", "", "")                                                                    \
    X(REDO, "redo", "U", NONE, MODEL, bench, workbench_do_undo, 0, "redo what was undone", "重做", \
      "", "")                                                                                      \
    X(RESET, "reset", "r", NONE, MODEL, bench, workbench_do_reset, 0,                              \
      "all weights, inputs and switches as at the start", "权重、输入、开关全部还原", "", "")      \
    X(CHANGE, "change", "a", NONE, NOTHING, screen, screen_do_overlay, 0,                          \
      "what else can be changed", "还能改什么", "", "")                                            \
    X(MASK, "mask", "m", SWITCH, MODEL, bench, workbench_do_switch, 11, "causal mask on or off",   \
      "开关：因果掩码", "mask", "掩码")                                                            \
    X(SCALE, "scale", "", SWITCH, MODEL, bench, workbench_do_switch, 0,                            \
      "division by √(key width) on or off", "开关：除以 √(键的宽度)", "", "")                      \
    X(RESIDUAL, "residual", "", SWITCH, MODEL, bench, workbench_do_switch, 0,                      \
      "residual connections on or off", "开关：残差连接", "", "")                                  \
    X(POSITIONS, "positions", "", SWITCH, MODEL, bench, workbench_do_switch, 0,                    \
      "positional encoding on or off", "开关：位置编码", "", "")                                   \
    X(NORM, "norm", "", NORM, MODEL, bench, workbench_do_size, 0,                                  \
      "LayerNorm before (pre) or after (post) each part; standard or annotated",                   \
      "层归一化放在每部分之前（pre）或之后（post）；standard 或 annotated 写法", "", "")           \
    X(SMOOTHING, "smoothing", "", NUMBER, MODEL, bench, workbench_do_smoothing, 0,                 \
      "label smoothing of the loss, from 0 (none) to below 1",                                     \
      "损失的标签平滑，从 0（不平滑）到小于 1", "", "")                                            \
    X(HEADS, "heads", "", COUNT, MODEL, bench, workbench_do_size, 0, "how many heads", "头的个数", \
      "", "")                                                                                      \
    X(LAYERS, "layers", "", COUNT, MODEL, bench, workbench_do_size, 0, "how many layers", "层数",  \
      "", "")                                                                                      \
    X(WIDTH, "width", "", COUNT, MODEL, bench, workbench_do_size, 0, "how wide the model is",      \
      "模型的宽度", "", "")                                                                        \
    X(MODEL, "model", "", NONE, MODEL, bench, workbench_do_model, 0,                               \
      "what model this is: family, sizes, parameters, where its weights are from",                 \
      "这是什么模型：种类、大小、参数个数、权重从哪里来", "", "")                                  \
    X(POINT_MOVE, "move", "", TEXT, MODEL, bench, workbench_do_point, 0,                           \
      "move this point: move 0.5,-0.2", "移动这个点：move 0.5,-0.2", "", "")                       \
    X(POINT_ADD, "add", "", TEXT, MODEL, bench, workbench_do_point, 0,                             \
      "add a point: add inner 0.5,-0.2", "添加一个点：add inner 0.5,-0.2", "", "")                 \
    X(POINT_REMOVE, "remove", "", NONE, MODEL, bench, workbench_do_point, 0,                       \
      "take this point away", "去掉这个点", "", "")                                                \
    X(SEED, "seed", "", COUNT, MODEL, bench, workbench_do_open, 0,                                 \
      "untrained weights from another seed", "换一个种子的未训练权重", "", "")                     \
    X(INPUT, "input", "", TEXT, MODEL, bench, workbench_do_open, 0, "another sentence, or ids",    \
      "换一个输入：文本或词元编号", "", "")                                                        \
    X(OPEN, "open", "", OPEN, NOTHING, bench, workbench_do_open, 0,                                \
      "open a model: toy-copy --ids \"1,5,4\" --seed 1",                                           \
      "打开模型：toy-copy --ids \"1,5,4\" --seed 1", "", "")                                       \
    /* learning and using */                                                                       \
    X(TRAIN, "train", "t", COUNT, MODEL, bench, workbench_do_train, 12,                            \
      "start or stop training; with a number: train that many steps",                              \
      "开始或停止训练；加数字：训练这么多步", "train", "训练")                                     \
    X(TRAIN_STEP, "train-step", "T", NONE, MODEL, bench, workbench_do_train, 0,                    \
      "one step of training", "训练一步", "", "")                                                  \
    X(SLOWER, "slower", "{", NONE, MODEL, bench, workbench_do_pace, 0, "train half as fast",       \
      "训练速度减半", "", "")                                                                      \
    X(FASTER, "faster", "}", NONE, MODEL, bench, workbench_do_pace, 0, "train twice as fast",      \
      "训练速度加倍", "", "")                                                                      \
    X(TRAIN_ALL, "train-all", "E", NONE, MODEL, bench, workbench_do_pace, 0,                       \
      "train to the end without waiting", "不再等待，一直训练到学会", "", "")                      \
    X(SCRUB_BACK, "scrub-back", "(", NONE, MODEL, bench, workbench_do_scrub, 0,                    \
      "back to earlier weights of the training", "回到更早的训练时刻", "", "")                     \
    X(SCRUB_NEXT, "scrub-next", ")", NONE, MODEL, bench, workbench_do_scrub, 0,                    \
      "forward to later weights of the training", "去更晚的训练时刻", "", "")                      \
    X(SCRUB, "scrub", "", COUNT, MODEL, bench, workbench_do_scrub_to, 0,                           \
      "to the weights after a step that is kept", "回到保留了的某一步之后的权重", "", "")          \
    X(COMPARE, "compare", "c", NONE, MODEL, bench, workbench_do_compare, 0,                        \
      "keep this run and start a second one from the same seed",                                   \
      "留下这次训练，从同一种子再来一次作对照", "", "")                                            \
    X(LENGTHS, "lengths", "", NONE, MODEL, bench, workbench_do_lengths, 0,                         \
      "how many sentences of each length the model gets right", "每种长度的句子，模型能做对多少",  \
      "", "")                                                                                      \
    X(SIZE, "size", "", TEXT, NOTHING, bench, workbench_do_count, 0,                               \
      "what a model takes: transformer-base --batch 64 --tflops 9.5 --percent 30",                 \
      "一个模型要多少参数、内存和运算：transformer-base --batch 64", "", "")                       \
    X(DISTANCES, "distances", "", NONE, NOTHING, bench, workbench_do_distances, 0,                 \
      "time several ways to compute the distances between points",                                 \
      "比较几种计算点间距离的方法各要多少时间", "", "")                                            \
    X(DECODE, "decode", "g", COUNT, MODEL, bench, workbench_do_decode, 0,                          \
      "let the model generate one more token", "让模型再生成一个词元", "", "")                     \
    X(BEAM, "beam", "", COUNT, MODEL, bench, workbench_do_decode, 0,                               \
      "decode with a beam of that width", "用这么宽的束搜索解码", "", "")                          \
    X(TEMPERATURE, "temperature", "", NUMBER, MODEL, bench, workbench_do_sampling, 0,              \
      "sample the next token: 0 takes the likeliest, 1 keeps the probabilities",                   \
      "采样下一个词元：0 取概率最大的，1 用原来的概率", "", "")                                    \
    X(TOP_K, "top-k", "", COUNT, MODEL, bench, workbench_do_sampling, 0,                           \
      "sample from the k likeliest tokens only; 0: all",                                           \
      "只从概率最大的 k 个词元里采样；0 为全部", "", "")                                           \
    X(TOP_P, "top-p", "", NUMBER, MODEL, bench, workbench_do_sampling, 0,                          \
      "sample from the fewest tokens whose probabilities reach p; 0: all",                         \
      "只从概率之和达到 p 的最少几个词元里采样；0 为全部", "", "")                                 \
    X(TOKENS, "tokens", "", TEXT, MODEL, bench, workbench_do_tokens, 0,                            \
      "cut a text into tokens, merge by merge; n shows the next merge",                            \
      "把一段文本切成词元，一次合并一步；n 显示下一次合并", "", "")                                \
    /* the program */                                                                              \
    X(PROMPT, "prompt", ":", NONE, NOTHING, screen, screen_do_prompt, 13, "type a command",        \
      "输入命令", "command", "命令")                                                               \
    X(ANSWER, "answer", "", TEXT, NOTHING, learn, learn_do_answer, 0, "answer the question",       \
      "回答问题", "answer", "作答")                                                                \
    X(HINT, "hint", "", NONE, NOTHING, player, player_do_hint, 0,                                  \
      "one way to do what the lesson asks to be tried", "要动手做的事的一种做法", "", "")          \
    X(ASIDE, "aside", "Esc", NONE, NOTHING, learn, learn_do_aside, 0,                              \
      "put the question aside, close what is open", "暂不回答问题，关闭打开的窗口", "put aside",   \
      "放一边")                                                                                    \
    X(LESSON_BACK, "lesson-back", "B", NONE, NOTHING, player, player_do_back, 0,                   \
      "back in the lesson", "课文往回翻", "", "")                                                  \
    X(JUMP, "jump", "J", TEXT, NOTHING, learn, learn_do_jump, 0,                                   \
      "follow the link of the text, or go to a place such as 13@5",                                \
      "打开课文里的链接，或到 13@5 这样的地方", "link", "链接")                                    \
    X(JUMP_BACK, "jump-back", "K", NONE, NOTHING, learn, learn_do_jump, 0,                         \
      "back to where the link stands", "回到链接所在的地方", "back", "返回")                       \
    X(RESUME, "resume", "R", NONE, NOTHING, player, player_do_resume, 0,                           \
      "continue where you were last time", "接着上次的地方学", "", "")                             \
    X(LEAVE, "leave", "q F10", NONE, NOTHING, learn, learn_do_leave, 14, "back, or leave",         \
      "返回或离开", "quit", "退出")                                                                \
    X(QUIT, "quit", "Q", NONE, NOTHING, learn, learn_do_leave, 0, "quit", "退出", "", "")

typedef enum CommandId {
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    COMMAND_##id,
    COMMAND_LIST(X)
#undef X
        COMMAND_COUNT,
} CommandId;

typedef enum CommandArgument {
    ARGUMENT_NONE,
    ARGUMENT_COUNT,  // a whole number, may be left out
    ARGUMENT_NUMBER, // a number
    ARGUMENT_STAGE,
    ARGUMENT_CELL, // stage[i,j]
    ARGUMENT_TEXT,
    ARGUMENT_VIEW,
    ARGUMENT_SWITCH, // on, off, or nothing: the other
    ARGUMENT_FILE,
    ARGUMENT_THEME,
    ARGUMENT_LANGUAGE,
    ARGUMENT_HEAT, // linear, row, or nothing: the other
    ARGUMENT_NORM, // pre or post, standard or annotated
    ARGUMENT_OPEN, // preset and options
} CommandArgument;

typedef enum CommandNeeds { COMMAND_NEEDS_NOTHING, COMMAND_NEEDS_MODEL } CommandNeeds;

typedef struct CommandInfo {
    const char *name;
    const char *keys;
    CommandArgument argument;
    CommandNeeds needs;
    int hint; // its place in the line of keys, from 1; 0: none
} CommandInfo;

extern const CommandInfo COMMANDS[COMMAND_COUNT];

// A line as a person types it, taken apart; `rest` points into the line.
typedef struct Command {
    CommandId id;
    const char *rest; // what follows the name, without spaces around; "" for nothing
} Command;

// The parts that carry commands out, and their functions. Several commands may share one.
typedef struct Learn Learn;
typedef struct Player Player;
typedef struct Cursor Cursor;
typedef struct Workbench Workbench;
typedef struct Screen Screen;
#define COMMAND_PART_learn Learn
#define COMMAND_PART_player Player
#define COMMAND_PART_cursor Cursor
#define COMMAND_PART_bench Workbench
#define COMMAND_PART_screen Screen
#define X(id, name, keys, argument, needs, part, function, hint, en, zh, hint_en, hint_zh)         \
    bool function(COMMAND_PART_##part *part, const Command *command, Error *err);
// NOLINTNEXTLINE(readability-redundant-declaration): commands that share a function declare it
// again
COMMAND_LIST(X)
#undef X

// Fails for an unknown name or an argument that cannot be one, with a sentence that says what is
// expected. Changes line (ends it where spaces follow).
bool command_parse(Command *command, char *line, Error *err);

// What a number typed before the key of a command does: "10n", "3u".
typedef enum CommandCounts {
    COMMAND_COUNTS_NOTHING, // it takes none
    COMMAND_COUNTS_ITSELF,  // the number is its argument
    COMMAND_COUNTS_TIMES,   // it is carried out so often
} CommandCounts;
CommandCounts command_counts(CommandId id);

// The command of a key, COMMAND_COUNT where it has none.
CommandId command_of_key(int key);

// The whole number in rest, or `otherwise` where it is empty.
long command_count(const Command *command, long otherwise);

// 1 for "on", 0 for "off", -1 for nothing.
int command_switch(const Command *command);

// Names that begin with start: at most max are written, how many there are is returned.
int command_complete(const char *start, const char **names, int max);

#endif
