// sentences.c - one sentence about a stage, by its role, in each language.
#include "views/sentences.h"

static const char *const ROLE_SENTENCES[ROLE_COUNT][LANGUAGE_COUNT] = {
    [ROLE_NONE] = {"An intermediate step.", "中间的一步。"},
    [ROLE_PARAMETER] = {"Weights of the model: training changes them.",
                        "模型的权重：训练改变的就是它们。"},
    [ROLE_TOKENS] = {"The input tokens, each as its id in the vocabulary.",
                     "输入的词元，每个都写成它在词表里的编号。"},
    [ROLE_LABELS] = {"The labels: at each position, the token that should come next.",
                     "标签，即正确答案：每个位置上应当出现的下一个词元。"},
    [ROLE_EMBEDDING] = {"Each token's row of the embedding table, looked up by its id.",
                        "按编号从词嵌入矩阵里取出的一行，就是这个词元的向量。"},
    [ROLE_POSITIONS] =
        {"Positional encoding: a vector for each position, so that the model knows the order.",
         "位置编码：每个位置一个向量，模型由此知道词序。"},
    [ROLE_INPUT] = {"Embedding plus positional encoding: the input of the first layer.",
                    "词嵌入加位置编码：第一层的输入。"},
    [ROLE_PROJECTION] = {"One product with a weight matrix, for all heads at once.",
                         "与权重矩阵相乘一次，所有的头一起算。"},
    [ROLE_QUERY] = {"Queries: what each position looks for.", "查询：每个位置要找什么。"},
    [ROLE_KEY] = {"Keys: what each position can be found by.", "键：每个位置凭什么被找到。"},
    [ROLE_VALUE] = {"Values: what each position gives to those that attend to it.",
                    "值：每个位置被注意到时提供的内容。"},
    [ROLE_SCORES] = {"One score for each query and each key: how well the two match.",
                     "每个查询与每个键一个分数：二者有多匹配。"},
    [ROLE_MASKED_SCORES] =
        {"Scores of keys that the query may not attend to become −∞; the others stay.",
         "掩码：查询不许看的键，分数变成 −∞，其余不变。"},
    [ROLE_ATTENTION_WEIGHTS] =
        {"Softmax of each row: how much a query attends to each key; a row sums to 1.",
         "注意力权重：对每一行做 softmax，得到查询对每个键的权重；一行之和为 1。"},
    [ROLE_CONTEXT] =
        {"The sum of the values, weighted by the attention weights: the output of each head.",
         "按注意力权重对值加权求和：每个头的输出。"},
    [ROLE_CONCAT] = {"The outputs of all heads side by side, as wide as the model.",
                     "把各个头的输出拼接起来，宽度与模型相同。"},
    [ROLE_ATTENTION_OUTPUT] =
        {"One more product with a weight matrix mixes the outputs of the heads.",
         "再乘一个权重矩阵，把各个头的输出混合起来。"},
    [ROLE_RESIDUAL] = {"Residual connection: the input of this part plus its output.",
                       "残差连接：这一部分的输入加上它的输出。"},
    [ROLE_NORM] =
        {"Layer normalization: each row gets mean 0 and deviation 1, then is scaled and shifted.",
         "层归一化：每一行变成均值 0、标准差 1，再缩放和平移。"},
    [ROLE_HIDDEN] =
        {"The wider hidden layer of the feed-forward network; each position on its own.",
         "前馈网络的隐藏层，比模型更宽；每个位置各算各的。"},
    [ROLE_ACTIVATION] = {"The activation function: without it, two linear layers would equal one.",
                         "激活函数：没有它，两个线性层就等于一个。"},
    [ROLE_FEED_FORWARD_OUTPUT] = {"The output of the feed-forward network, as wide as the model.",
                                  "前馈网络的输出，宽度与模型相同。"},
    [ROLE_MEMORY] = {"The output of the encoder: the decoder attends to it.",
                     "编码器的输出：解码器通过交叉注意力看它。"},
    [ROLE_DECODER_OUTPUT] = {"The output of the decoder, one vector for each position.",
                             "解码器的输出，每个位置一个向量。"},
    [ROLE_INPUT_GATE] =
        {"The input gate: how much of each new number enters the cell, from 0 to 1.",
         "输入门：新的数各有多少进入细胞状态，取值在 0 与 1 之间。"},
    [ROLE_FORGET_GATE] =
        {"The forget gate: how much of each number in the cell is kept, from 0 to 1.",
         "遗忘门：细胞状态里的数各保留多少，取值在 0 与 1 之间。"},
    [ROLE_CELL_GATE] = {"The cell gate: the new numbers that may enter the cell, from −1 to 1.",
                        "候选值：可以写入细胞状态的新数，取值在 −1 与 1 之间。"},
    [ROLE_OUTPUT_GATE] =
        {"The output gate: how much of each number in the cell is shown, from 0 to 1.",
         "输出门：细胞状态里的数各输出多少，取值在 0 与 1 之间。"},
    [ROLE_CELL] = {"The cell: what the LSTM remembers from word to word.",
                   "细胞状态：LSTM 逐词传下去的记忆。"},
    [ROLE_HIDDEN_STATE] = {"The hidden state: what the LSTM shows of its cell after each word.",
                           "隐藏状态：读完每个词之后，LSTM 从细胞状态中输出的部分。"},
    [ROLE_LOGITS] =
        {"One score for each token of the vocabulary: a classification at each position.",
         "词表里每个词元一个分数（logit）：每个位置做一次分类。"},
    [ROLE_LOG_PROBABILITIES] =
        {"The logarithm of the softmax: how likely the model holds each token to be.",
         "softmax 的对数：模型认为每个词元有多大可能。"},
    [ROLE_CLASSES] = {"The labels: the class that each point belongs to.",
                      "标签，即正确答案：每个点所属的类别。"},
    [ROLE_POINTS] = {"The coordinates of each point: where it lies on the plane.",
                     "每个点的坐标：它在平面上的位置。"},
    [ROLE_FEATURES] =
        {"The features φ(x) of each point: six numbers made from its two coordinates.",
         "每个点的特征 φ(x)：由两个坐标算出的六个数。"},
    [ROLE_KERNEL] = {"The kernel of each two points: how alike they are, as one number.",
                     "每两个点的核函数值：用一个数表示它们有多相似。"},
    [ROLE_ALPHA] = {"The weight of each point in the decision: 0 unless it is a support vector.",
                    "每个点在决策中的权重：只有支持向量的不为 0。"},
    [ROLE_DECISION] =
        {"The decision value of each point: its sign tells the class, and 0 is the boundary.",
         "每个点的决策值：符号决定类别，等于 0 处就是分界线。"},
    [ROLE_LOSS] =
        {"How far the predictions are from the labels, as one number. Training makes it smaller.",
         "损失：用一个数表示预测离标签有多远。训练使它变小。"},
};

static const char *const SCALED_SCORES[LANGUAGE_COUNT] = {
    "The dot product of each query with each key, divided by √(key width).",
    "每个查询与每个键的点积，再除以 √(键的宽度)。",
};

static const char *const GRADIENT_SENTENCE[LANGUAGE_COUNT] = {
    "The gradient: how fast the loss changes when these numbers grow.",
    "梯度：这些数增大时，损失变化得有多快。",
};

static const char *const UPDATE_SENTENCE[LANGUAGE_COUNT] = {
    "The new value of each weight, after one small step against its gradient.",
    "逆着梯度走一小步之后，权重的新值。",
};

static const char *const MEAN_SENTENCE[LANGUAGE_COUNT] = {
    "The running mean of a gradient (m) or of its square (v), which AdamW keeps.",
    "AdamW 保留的滑动平均：梯度的（m），或梯度平方的（v）。",
};

static bool is_scaled(const Node *node) {
    return node->op == OP_MATMUL && node->arguments.matmul.scale != 1.0F;
}

const char *sentence_for_node(const Node *node, Language language) {
    switch (node->phase) {
    case PHASE_BACKWARD:
        return GRADIENT_SENTENCE[language];
    case PHASE_UPDATE:
        return node->op == OP_PARAMETER ? MEAN_SENTENCE[language] : UPDATE_SENTENCE[language];
    case PHASE_FORWARD:
        break;
    }
    if (node->role == ROLE_SCORES && is_scaled(node)) {
        return SCALED_SCORES[language];
    }
    return ROLE_SENTENCES[node->role][language];
}

const char *sentence_for_note(ExplainNote note, Language language) {
    static const char *const NOTES[][LANGUAGE_COUNT] = {
        [EXPLAIN_NOTE_NONE] = {"", ""},
        [EXPLAIN_NOTE_MASKED_FUTURE] = {"masked: the key comes after the query",
                                        "掩码遮住：键在查询之后"},
        [EXPLAIN_NOTE_MASKED_PADDING] = {"masked: the key is padding", "掩码遮住：键是填充"},
        [EXPLAIN_NOTE_VISIBLE] = {"the query may attend to this key", "查询可以看这个键"},
        [EXPLAIN_NOTE_ALL_MASKED] = {"all keys are masked: the row is 0",
                                     "所有的键都被掩码遮住：整行为 0"},
        [EXPLAIN_NOTE_PADDING_LABEL] = {"the label is padding: this position does not count",
                                        "标签是填充：这个位置不计入"},
        [EXPLAIN_NOTE_RELU_OPEN] = {"x > 0: the gradient passes", "x > 0：梯度通过"},
        [EXPLAIN_NOTE_RELU_CLOSED] = {"x ≤ 0: the gradient stops here", "x ≤ 0：梯度到此为止"},
        [EXPLAIN_NOTE_LOOKED_UP] = {"the token's id selects the row", "由词元的编号选出这一行"},
        [EXPLAIN_NOTE_NOT_LOOKED_UP] = {"this row was not used: its gradient is 0",
                                        "这一行没有被用到：梯度为 0"},
        [EXPLAIN_NOTE_GIVEN] = {"given, not computed", "给定的，不是算出来的"},
        [EXPLAIN_NOTE_CARRIED] = {"kept from step to step; it is 0 before the first step",
                                  "逐步保留下来的：第一步之前是 0"},
        [EXPLAIN_NOTE_COPIED] = {"the same number, moved", "同一个数，换了位置"},
        [EXPLAIN_NOTE_DROPPED] = {"dropout set this number to 0", "dropout 把这个数置为 0"},
        [EXPLAIN_NOTE_KEPT] = {"dropout kept this number", "dropout 保留了这个数"},
        [EXPLAIN_NOTE_EDITED] = {"set by hand: the arithmetic gives another number",
                                 "手工改过：按算式计算会得到另一个数"},
    };
    return NOTES[note][language];
}
