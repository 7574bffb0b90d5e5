#include <string.h>

struct borrower {
    const char *citizenship;
    long income;
    int months;
};

static double surcharge(int foreign)
{
    return foreign ? 1.75 : 0.0;
}

double interest_rate(const struct borrower *b)
{
    double rate = b->months > 36 ? 6.4 : 5.1;
    if (b->income < 20000)
        rate += 0.8;
    if (strcmp(b->citizenship, "US") != 0) /* FL201|FL204|FL101|FL603: national_origin */
        rate += surcharge(1);
    return rate;
}
