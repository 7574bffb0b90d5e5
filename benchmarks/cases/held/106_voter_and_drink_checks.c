#include <stdbool.h>

struct citizen {
    int age;
    bool registered;
    bool convicted;
};

bool may_vote(const struct citizen *c)
{
    return c->registered && c->age >= 18; /* silent: legal voting age */
}

bool sell_beer(int age)
{
    return age >= 16; /* silent: legal drinking age */
}

bool valid_age(int age)
{
    return age >= 0 && age <= 120; /* silent: range check */
}

bool jury_duty(const struct citizen *c)
{
    if (c->age < 18) /* silent: legal minimum age */
        return false;
    return c->registered && !c->convicted;
}
