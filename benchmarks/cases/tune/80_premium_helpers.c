#include <stdio.h>

enum sex { SEX_FEMALE, SEX_MALE };

struct driver {
    char name[48];
    enum sex sex;
    int age;
    int accidents;
};

static double sex_factor(enum sex sex)
{
    return sex == SEX_MALE ? 1.25 : 1.0; /* FL204|FL201|FL202|FL203|FL101: gender */
}

static double accident_factor(int accidents)
{
    return accidents > 2 ? 1.4 : 1.0; /* silent: behaviour */
}

double premium(const struct driver *d)
{
    double base = 420.0;
    return base * sex_factor(d->sex) * accident_factor(d->accidents);
}

void print_policy(const struct driver *d)
{
    printf("%s %s: %.2f\n", d->sex == SEX_FEMALE ? "Ms" : "Mr", d->name, premium(d)); /* silent: salutation */
}
