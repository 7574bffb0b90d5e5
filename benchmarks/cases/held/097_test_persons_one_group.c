#include <assert.h>
#include <string.h>

#include "triage.h"

struct test_case {
    const char *race;
    const char *sex;
    int pain;
    const char *expected;
};

static const struct test_case urgent[] = { /* FL801|FL802: race */
    { .race = "White", .sex = "female", .pain = 9, .expected = "urgent" },
    { .race = "white", .sex = "male", .pain = 8, .expected = "urgent" },
    { .race = "Caucasian", .sex = "female", .pain = 10, .expected = "urgent" },
    { .race = "White", .sex = "male", .pain = 9, .expected = "urgent" },
};

static const struct test_case can_wait[] = { /* silent: mixed groups */
    { .race = "Black", .sex = "female", .pain = 2, .expected = "wait" },
    { .race = "White", .sex = "male", .pain = 1, .expected = "wait" },
    { .race = "Asian", .sex = "male", .pain = 3, .expected = "wait" },
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    for (unsigned i = 0; i < N(urgent); i++)
        assert(strcmp(triage(urgent[i].pain), urgent[i].expected) == 0);
    for (unsigned i = 0; i < N(can_wait); i++)
        assert(strcmp(triage(can_wait[i].pain), can_wait[i].expected) == 0);
    return 0;
}
