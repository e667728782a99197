// sentences.c - one sentence about a stage, by its role, in each language.
#include "views/sentences.h"

static const char *const ROLE_SENTENCES[ROLE_COUNT][LANGUAGE_COUNT] = {
    [ROLE_NONE] = {"A step in between.", "中间的一步。"},
    [ROLE_PARAMETER] = {"Weights of the model: training changes them.",
                        "模型的权重：训练改变的就是它们。"},
    [ROLE_TOKENS] = {"The tokens that go in, each as its number in the vocabulary.",
                     "输入的词元，每个都写成它在词表里的编号。"},
    [ROLE_LABELS] = {"What should come out: at each position the token that follows.",
                     "应当得到的答案：每个位置上的下一个词元。"},
    [ROLE_EMBEDDING] = {"Each token's row, looked up in the table by its number.",
                        "按编号从表里取出的那一行，就是这个词元的向量。"},
    [ROLE_POSITIONS] = {"A pattern for each place, so that order can be told.",
                        "每个位置一种花样，词序由此可辨。"},
    [ROLE_INPUT] = {"Embedding plus position: what the first layer sees.",
                    "词向量加位置：第一层看到的输入。"},
    [ROLE_PROJECTION] = {"One product with a weight matrix, for all heads at once.",
                         "与权重矩阵相乘一次，所有的头一起算。"},
    [ROLE_QUERY] = {"Queries: what each position asks for.", "查询：每个位置想问什么。"},
    [ROLE_KEY] = {"Keys: what each position can be found by.", "键：每个位置凭什么被找到。"},
    [ROLE_VALUE] = {"Values: what each position hands over when it is asked.",
                    "值：每个位置被问到时交出的内容。"},
    [ROLE_SCORES] = {"One dot product of query and key for each pair, divided by √(key width).",
                     "每一对查询与键做一次点积，再除以 √(键的宽度)。"},
    [ROLE_MASKED_SCORES] = {"What may not be seen becomes −∞; the rest stays as it was.",
                            "不许看的变成 −∞，其余照旧。"},
    [ROLE_ATTENTION_WEIGHTS] =
        {"Softmax over each row: how much of each key a query takes; a row sums to 1.",
         "对每一行做 softmax：查询从每个键取多少；一行之和为 1。"},
    [ROLE_CONTEXT] = {"The values, mixed by the weights: what each head found.",
                      "按权重把值混合起来：每个头找到的东西。"},
    [ROLE_CONCAT] = {"The heads side by side again, as wide as the model.",
                     "各个头重新并排，宽度与模型相同。"},
    [ROLE_ATTENTION_OUTPUT] = {"One more product lets the heads' findings mix.",
                               "再乘一次矩阵，让各个头的发现彼此融合。"},
    [ROLE_RESIDUAL] = {"What was there plus what was found: nothing is lost on the way.",
                       "原来的加上新找到的：途中什么也不丢。"},
    [ROLE_NORM] = {"Each row moved to mean 0 and deviation 1, then scaled and shifted.",
                   "每一行移到均值 0、标准差 1，再缩放和平移。"},
    [ROLE_HIDDEN] = {"Each position alone, widened, so that there is room to compute.",
                     "每个位置各自展宽，好有地方计算。"},
    [ROLE_ACTIVATION] = {"The bend that makes two layers more than one.",
                         "这个弯折让两层不只等于一层。"},
    [ROLE_FEED_FORWARD_OUTPUT] = {"Back to the model's width.", "回到模型的宽度。"},
    [ROLE_MEMORY] = {"The encoder's last word: what the decoder will look at.",
                     "编码器的最终结果：解码器将要看的内容。"},
    [ROLE_DECODER_OUTPUT] = {"The decoder's last word, one vector for each position.",
                             "解码器的最终结果，每个位置一个向量。"},
    [ROLE_LOGITS] =
        {"One score for each word of the vocabulary: a classification at each position.",
         "词表里每个词一个分数：每个位置做一次分类。"},
    [ROLE_LOG_PROBABILITIES] = {"Softmax in logarithms: how likely each word is held to be.",
                                "取对数的 softmax：模型认为每个词有多大可能。"},
    [ROLE_LOSS] =
        {"How far the predictions are from the labels, as one number. Training makes it smaller.",
         "预测离答案有多远，就这一个数。训练让它变小。"},
};

static const char *const GRADIENT_SENTENCE[LANGUAGE_COUNT] = {
    "How the loss would change if these numbers grew a little.",
    "如果这些数增大一点点，损失会怎样变化。",
};

static const char *const UPDATE_SENTENCE[LANGUAGE_COUNT] = {
    "The next value of a weight, after one small step against its gradient.",
    "逆着梯度走一小步之后，权重的新值。",
};

static const char *const MEAN_SENTENCE[LANGUAGE_COUNT] = {
    "The running mean of a gradient (m) or of its square (v), which AdamW keeps.",
    "AdamW 保留的滑动平均：梯度的（m），或梯度平方的（v）。",
};

const char *sentence_for_node(const Node *node, Language language) {
    switch (node->phase) {
    case PHASE_BACKWARD:
        return GRADIENT_SENTENCE[language];
    case PHASE_UPDATE:
        return node->op == OP_PARAMETER ? MEAN_SENTENCE[language] : UPDATE_SENTENCE[language];
    case PHASE_FORWARD:
        break;
    }
    return ROLE_SENTENCES[node->role][language];
}

const char *sentence_for_note(ExplainNote note, Language language) {
    static const char *const NOTES[][LANGUAGE_COUNT] = {
        [EXPLAIN_NOTE_NONE] = {"", ""},
        [EXPLAIN_NOTE_MASKED_FUTURE] = {"the key comes after the query: masked",
                                        "键在查询之后：被遮住"},
        [EXPLAIN_NOTE_MASKED_PADDING] = {"the key is padding: masked", "键是填充：被遮住"},
        [EXPLAIN_NOTE_VISIBLE] = {"the query may see this key", "查询可以看这个键"},
        [EXPLAIN_NOTE_ALL_MASKED] = {"no key may be seen: the row is 0", "没有可看的键：整行为 0"},
        [EXPLAIN_NOTE_PADDING_LABEL] = {"the label is padding: it does not count",
                                        "标签是填充：不计入"},
        [EXPLAIN_NOTE_RELU_OPEN] = {"x > 0: the gradient passes", "x > 0：梯度通过"},
        [EXPLAIN_NOTE_RELU_CLOSED] = {"x ≤ 0: the gradient stops here", "x ≤ 0：梯度到此为止"},
        [EXPLAIN_NOTE_LOOKED_UP] = {"the row is chosen by the token's id",
                                    "由词元的编号选出这一行"},
        [EXPLAIN_NOTE_NOT_LOOKED_UP] = {"nothing here was used: gradient 0",
                                        "这里没有被用到：梯度为 0"},
        [EXPLAIN_NOTE_GIVEN] = {"given, not computed", "给定的，不是算出来的"},
        [EXPLAIN_NOTE_CARRIED] = {"kept from step to step: 0 before the first",
                                  "逐步保留下来的：第一步之前是 0"},
        [EXPLAIN_NOTE_COPIED] = {"the same number, moved", "同一个数，换了位置"},
        [EXPLAIN_NOTE_DROPPED] = {"dropout drew this one out", "dropout 把它去掉了"},
        [EXPLAIN_NOTE_KEPT] = {"dropout kept this one", "dropout 保留了它"},
        [EXPLAIN_NOTE_EDITED] = {"set by hand: the arithmetic gives another number",
                                 "手工改过：按算式会得到另一个数"},
    };
    return NOTES[note][language];
}
