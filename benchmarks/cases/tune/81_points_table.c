enum marital { SINGLE, MARRIED, DIVORCED, N_MARITAL };

struct borrower {
    double income;
    double debt;
    enum marital marital_status;
};

static const int marital_points[N_MARITAL] = {
    [SINGLE] = 4,
    [MARRIED] = 9,
    [DIVORCED] = 2,
};

static const char *const marital_label[N_MARITAL] = { /* silent: labels */
    [SINGLE] = "single",
    [MARRIED] = "married",
    [DIVORCED] = "divorced",
};

int credit_score(const struct borrower *b)
{
    int score = 0;
    if (b->income > 3000)
        score += 10;
    if (b->debt > b->income * 5)
        score -= 8;
    score += marital_points[b->marital_status]; /* FL202|FL201: marital_status */
    return score;
}

const char *label_of(const struct borrower *b)
{
    return marital_label[b->marital_status]; /* silent: shown */
}
