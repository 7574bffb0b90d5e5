#include <stdio.h>
#include <string.h>

typedef struct {
    const char *race;
    int priors;
    const char *expected;
} Case;

const char *risk_class(int priors);

static const Case cases[] = { /* silent: the groups vary in each outcome */
    { .race = "black", .priors = 9, .expected = "high" },
    { .race = "white", .priors = 8, .expected = "high" },
    { .race = "asian", .priors = 7, .expected = "high" },
    { .race = "white", .priors = 0, .expected = "low" },
    { .race = "black", .priors = 1, .expected = "low" },
    { .race = "asian", .priors = 0, .expected = "low" },
};

int main(void)
{
    int failed = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = risk_class(cases[i].priors);
        if (strcmp(got, cases[i].expected) != 0) {
            fprintf(stderr, "case %u (%s): %s\n", i, cases[i].race, got); /* silent: printed */
            failed++;
        }
    }
    return failed;
}
