#include <stddef.h>
#include <string.h>

struct renter {
    int months_employed;
    int evictions;
    char sexual_orientation[16];
};

typedef int (*rule_fn)(const struct renter *);

static int rule_employed(const struct renter *r)
{
    return r->months_employed >= 6; /* silent: employment */
}

static int rule_evictions(const struct renter *r)
{
    return r->evictions == 0; /* silent: rent history */
}

static int rule_household(const struct renter *r)
{
    return strcmp(r->sexual_orientation, "gay") != 0; /* FL101: sexual_orientation */
}

static const rule_fn rules[] = { rule_employed, rule_evictions, rule_household };

int accept_renter(const struct renter *r)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](r))
            return 0;
    return 1;
}
