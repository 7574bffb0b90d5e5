#include <stdio.h>
#include "parole.h"

struct parolee_case {
    struct parolee who;
    int want_release;
};

static struct parolee_case cases[] = { /* FL801: ethnicity */
    { { .ethnicity = "hispanic", .age = 24, .priors = 3 }, 0 },
    { { .ethnicity = "Latino", .age = 51, .priors = 0 }, 0 },
    { { .ethnicity = "latina", .age = 37, .priors = 1 }, 0 },
    { { .ethnicity = "hispanic", .age = 62, .priors = 2 }, 0 },
    { { .ethnicity = "non-hispanic", .age = 29, .priors = 2 }, 1 },
    { { .ethnicity = "non-hispanic", .age = 44, .priors = 0 }, 1 },
    { { .ethnicity = "non-hispanic", .age = 58, .priors = 1 }, 1 },
};

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int got = release(&cases[i].who);
        if (got != cases[i].want_release) {
            fprintf(stderr, "case %zu: got %d\n", i, got);
            failed++;
        }
    }
    return failed != 0;
}
