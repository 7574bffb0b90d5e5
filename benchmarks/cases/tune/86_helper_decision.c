#include <stdbool.h>
#include <string.h>

struct candidate {
    char name[40];
    char nationality[3];
    int test_points;
    bool work_permit;
};

static bool is_national(const struct candidate *c)
{
    return strcmp(c->nationality, "DE") == 0;
}

int invite(const struct candidate *all, int n, const struct candidate **out)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (!all[i].work_permit) /* silent: work authorisation */
            continue;
        if (!is_national(&all[i])) /* FL106|FL101|FL603: national_origin */
            continue;
        if (all[i].test_points >= 70) /* silent: test result */
            out[k++] = &all[i];
    }
    return k;
}
