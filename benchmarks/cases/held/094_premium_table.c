#include <stddef.h>

enum sex { SEX_FEMALE, SEX_MALE, SEX_OTHER, SEX_COUNT };

struct driver {
    enum sex sex;
    unsigned accidents;
    unsigned km_per_year;
};

static const double sex_factor[SEX_COUNT] = {
    [SEX_FEMALE] = 0.92,
    [SEX_MALE] = 1.15,
    [SEX_OTHER] = 1.15,
};

double yearly_premium(const struct driver *d)
{
    double premium = 320.0 + 0.01 * d->km_per_year;
    premium += 75.0 * d->accidents;
    premium *= sex_factor[d->sex]; /* FL202|FL204: gender */
    return premium;
}

size_t count_by_sex(const struct driver *d, size_t n, enum sex which)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++)
        if (d[i].sex == which) /* silent: counting */
            hits++;
    return hits;
}
