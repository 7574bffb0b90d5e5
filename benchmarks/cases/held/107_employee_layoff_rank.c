#include <stdlib.h>

struct employee {
    int id;
    int age;
    int reviews;
    int pregnant;
};

static int lay_off(const struct employee *e)
{
    if (e->pregnant) /* FL101: pregnancy */
        return 1;
    if (e->age > 55) /* FL102: age */
        return 1;
    return e->reviews < 2;
}

int redundancy_list(const struct employee *staff, int n, int *ids)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (lay_off(&staff[i]))
            ids[k++] = staff[i].id;
    return k;
}

int pension_due(const struct employee *e)
{
    return e->age >= 67; /* silent: statutory retirement age */
}
