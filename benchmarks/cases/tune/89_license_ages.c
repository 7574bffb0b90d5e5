#include <stdbool.h>
#include <stdio.h>

struct citizen {
    char name[50];
    int age;
    bool registered;
    char gender;
};

bool can_vote(const struct citizen *c)
{
    return c->age >= 18 && c->registered; /* silent: legal voting age */
}

bool gets_pension(const struct citizen *c)
{
    return c->age >= 65; /* silent: retirement age */
}

bool gets_bus_pass(const struct citizen *c)
{
    return c->gender == 'F' && c->age >= 60; /* FL101|FL103: gender */
}

int read_age(void)
{
    int age;
    if (scanf("%d", &age) != 1 || age < 0 || age > 120) /* silent: validation */
        return -1;
    return age;
}
