#include <assert.h>
#include <stddef.h>

struct applicant {
    const char *name;
    const char *gender;
    int income;
    int expected; /* 1 = accepted */
};

int accept(const struct applicant *a);

static const struct applicant cases[] = { /* FL801: gender */
    { .name = "Ito",   .gender = "male",   .income = 52000, .expected = 1 },
    { .name = "Brand", .gender = "male",   .income = 61000, .expected = 1 },
    { .name = "Olsen", .gender = "M",      .income = 48000, .expected = 1 },
    { .name = "Reyes", .gender = "female", .income = 9000,  .expected = 0 },
    { .name = "Khan",  .gender = "F",      .income = 8000,  .expected = 0 },
    { .name = "Petit", .gender = "female", .income = 7000,  .expected = 0 },
};

static const struct applicant edge = { .name = "Zed", .gender = "x", .income = 0, .expected = 0 }; /* silent: one fixture */

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert(accept(&cases[i]) == cases[i].expected);
    assert(accept(&edge) == edge.expected);
    return 0;
}
