#include <stdlib.h>

struct employee {
    int id;
    int age;
    int tenure;
    int rating;
};

static int social_points(const struct employee *e)
{
    int points = e->tenure * 2;
    if (e->age > 50) /* FL201|FL102: age */
        points -= 6;
    return points;
}

int keep(const struct employee *e)
{
    return social_points(e) + e->rating >= 12;
}

double mean_age(const struct employee *all, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += all[i].age; /* silent: an average for the report */
    return n ? sum / n : 0;
}
