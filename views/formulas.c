// formulas.c - the name of an op and the formula of a node, in each language.
#include "views/formulas.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct OpWords {
    const char *name;
    const char *letters; // what the letters of its formula mean, after it; NULL: nothing to add
} OpWords;

static const char NORM_LETTERS[] = "（mean 为均值，variance 为方差，deviation 为标准差）";
static const char LOSS_LETTERS[] = "（target 为目标分布）";

static const OpWords WORDS_ZH[OP_COUNT] = {
    [OP_PARAMETER] = {.name = "参数"},
    [OP_IDS] = {.name = "编号"},
    [OP_CONSTANT] = {.name = "常数"},
    [OP_SINUSOID] = {.name = "正弦位置编码"},
    [OP_GRID] = {.name = "网格上的位置"},
    [OP_FEATURE_MAP] = {.name = "特征映射"},
    [OP_KERNEL] = {.name = "核函数"},
    [OP_EMBEDDING] = {"词嵌入", "（table 为词嵌入矩阵，ids 为词元的编号）"},
    [OP_EMBEDDING_GRAD] = {.name = "词嵌入的梯度"},
    [OP_SLICE_ROWS] = {.name = "取若干行"},
    [OP_JOIN_ROWS] = {.name = "拼合各行"},
    [OP_ADD] = {.name = "加法"},
    [OP_ACCUMULATE] = {.name = "累加"},
    [OP_PASS] = {.name = "传递"},
    [OP_SUM_ROWS] = {.name = "各行求和"},
    [OP_LINEAR] = {.name = "线性变换"},
    [OP_WEIGHT_GRAD] = {.name = "权重的梯度"},
    [OP_SLICE_STEPS] = {.name = "取若干位置"},
    [OP_CONCAT_STEPS] = {.name = "拼接各位置"},
    [OP_LAST_STEP] = {.name = "取最后一个位置"},
    [OP_LAST_STEP_GRAD] = {.name = "取最后一个位置的梯度"},
    [OP_SPLIT_HEADS] = {.name = "拆分成头"},
    [OP_MERGE_HEADS] = {.name = "合并各头"},
    [OP_CONCAT] = {.name = "拼接"},
    [OP_COLUMNS] = {.name = "取若干列"},
    [OP_MATMUL] = {.name = "矩阵乘法"},
    [OP_MASK] = {.name = "掩码"},
    [OP_MASK_GRAD] = {.name = "掩码的梯度"},
    [OP_SOFTMAX] = {.name = "softmax（归一化指数）"},
    [OP_SOFTMAX_GRAD] = {.name = "softmax 的梯度"},
    [OP_ATTENTION] = {"注意力", "（lse 为该行 exp 之和的对数）"},
    [OP_ATTENTION_GRAD] = {"注意力的梯度", "（p 为注意力权重，ds 为分数的梯度）"},
    [OP_CARRY] = {.name = "传递状态"},
    [OP_CACHE] = {.name = "缓存"},
    [OP_CACHED_ATTENTION] = {"对缓存中各键的注意力", "（lse 为该行 exp 之和的对数）"},
    [OP_QUANTIZED_LINEAR] = {.name = "量化的线性变换"},
    [OP_PART] = {.name = "另一个输出"},
    [OP_LAYER_NORM] = {"层归一化", NORM_LETTERS},
    [OP_LAYER_NORM_GRAD] = {"层归一化的梯度", NORM_LETTERS},
    [OP_LAYER_NORM_WEIGHT_GRAD] = {"层归一化权重的梯度", NORM_LETTERS},
    [OP_RELU] = {.name = "ReLU 激活"},
    [OP_RELU_GRAD] = {.name = "ReLU 的梯度"},
    [OP_GELU] = {.name = "GELU 激活"},
    [OP_GELU_GRAD] = {.name = "GELU 的梯度"},
    [OP_TANH] = {.name = "tanh（双曲正切）"},
    [OP_TANH_GRAD] = {.name = "tanh 的梯度"},
    [OP_SIGMOID] = {.name = "sigmoid 函数"},
    [OP_SIGMOID_GRAD] = {.name = "sigmoid 的梯度"},
    [OP_MULTIPLY] = {.name = "逐元素相乘"},
    [OP_DROPOUT] = {.name = "dropout（随机失活）"},
    [OP_LOG_SOFTMAX] = {.name = "对数 softmax"},
    [OP_LOG_SOFTMAX_GRAD] = {.name = "对数 softmax 的梯度"},
    [OP_LOSS] = {"损失", LOSS_LETTERS},
    [OP_LOSS_GRAD] = {"损失的梯度", LOSS_LETTERS},
    [OP_CROSS_ENTROPY] = {"交叉熵", LOSS_LETTERS},
    [OP_CROSS_ENTROPY_GRAD] = {"交叉熵的梯度", LOSS_LETTERS},
    [OP_CLIP_SCALE] = {"梯度裁剪", "（g 为全部梯度，clip 为范数的上限）"},
    [OP_ADAMW] = {"AdamW 更新", "（w 为权重，lr 为学习率，decay 为权重衰减，g 为梯度）"},
    [OP_SGD] = {"SGD 更新", "（w 为权重，lr 为学习率，decay 为权重衰减，g 为梯度）"},
};

// The words that stand in formulas; of two that begin alike the longer comes first.
static const char *const PHRASES[][LANGUAGE_COUNT] = {
    {"a weight of the model", "模型的权重"},
    {"a running mean that the optimizer keeps for each weight", "优化器为每个权重保留的滑动平均"},
    {"the ids of the tokens", "词元的编号"},
    {"a fixed number", "固定的数"},
    {"another output of the previous step", "上一步的另一个输出"},
    {"Σ over labels Σ over c of ", "Σ(标签) Σ(c) "},
    {"Σ over (b,t) with ids[b,t] = v of ", "Σ(满足 ids[b,t] = v 的 b,t) "},
    {"Σ over (b,t) of ", "Σ(b,t) "},
    {"Σ over the outer axes of ", "Σ(外层各轴) "},
    {"Σ over s <= position[t] of ", "Σ(s ≤ position[t]) "},
    {"Σ over s of ", "Σ(s) "},
    {"Σ over k of ", "Σ(k) "},
    {"Σ over j of ", "Σ(j) "},
    {"number of labels", "标签数"},
    {" where the query may look at the key, else ", "（查询可以看这个键时），否则为 "},
    {" where the draw is p or more, else ", "（抽到的数不小于 p 时），否则为 "},
    {", n the last position without padding", "，n 为最后一个非填充词元的位置"},
    {" where t is the last position without padding, else ",
     "（t 为最后一个非填充词元的位置时），否则为 "},
    {" where x > 0, else ", "（x > 0 时），否则为 "},
    {" where ‖g‖ > clip, else ", "（‖g‖ > clip 时），否则为 "},
    {", place: the column and the row of the id", "，place 为编号所在的列和行，middle 为中间的"},
    {", a number for each pair of points", "，每对点一个数"},
    {", one term for each use", "，每次使用一项"},
    {", t the tanh", "，t 为 tanh 的值"},
    {", element by element", "，逐元素"},
    {", one after the other", "，首尾相接"},
    {"0 where there is no part", "没有对应部分的地方为 0"},
    {"what the position before left, first[b] at position 0",
     "前一个位置留下的数，位置 0 时为 first[b]"},
    {", the other rows as they were", "，其余各行不变"},
    {", with the mean and the deviation of the row x[b,t] in the layer norm",
     "，mean 和 deviation 取自层归一化里的这一行 x[b,t]"},
    {", with the mean and the deviation of the row x[b,t] in ",
     "，mean 和 deviation 取自这一行 x[b,t]，见 "},
    {" (W in fewer bits: a small integer times the scale of its group)",
     "（W 用较少的位存储：小整数乘以所在组的 scale）"},
    {", W (out, in)", "，W（输出，输入）"},
    {", W (in, out)", "，W（输入，输出）"},
    {", variance over C − 1", "，variance 除以 C − 1"},
};

const char *formula_op_name(OpKind op, Language language) {
    return language == LANGUAGE_ZH ? WORDS_ZH[op].name : OPS[op]->name;
}

static const char *const *phrase_at(const char *at) {
    for (size_t i = 0; i < sizeof PHRASES / sizeof PHRASES[0]; i++) {
        if (strncmp(at, PHRASES[i][LANGUAGE_EN], strlen(PHRASES[i][LANGUAGE_EN])) == 0) {
            return PHRASES[i];
        }
    }
    return NULL;
}

const char *formula_in(OpKind op, const char *formula, Language language,
                       char text[FORMULA_BYTES]) {
    if (language == LANGUAGE_EN) {
        return formula;
    }
    size_t length = 0;
    text[0] = '\0';
    for (const char *at = formula; *at != '\0' && length + 1 < FORMULA_BYTES;) {
        const char *const *phrase = phrase_at(at);
        if (phrase == NULL) {
            text[length++] = *at++;
            text[length] = '\0';
            continue;
        }
        length += (size_t)snprintf(text + length, FORMULA_BYTES - length, "%s", phrase[language]);
        length = length < FORMULA_BYTES ? length : FORMULA_BYTES - 1;
        at += strlen(phrase[LANGUAGE_EN]);
    }
    if (WORDS_ZH[op].letters != NULL) {
        snprintf(text + length, FORMULA_BYTES - length, "%s", WORDS_ZH[op].letters);
    }
    return text;
}

const char *formula_line(OpKind op, const char *formula, Language language,
                         char text[FORMULA_BYTES]) {
    char words[FORMULA_BYTES];
    const char *is = formula_in(op, formula, language, words);
    const char *name = formula_op_name(op, language);
    snprintf(text, FORMULA_BYTES, language == LANGUAGE_ZH ? "%s：%s" : "%s: %s", name, is);
    return text;
}
