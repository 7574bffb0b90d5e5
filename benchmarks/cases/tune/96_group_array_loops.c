#include <stdio.h>
#include <string.h>

enum { GROUPS = 3 };
static const char *const groups[GROUPS] = { "female", "male", "diverse" }; /* silent: the groups of the audit */

struct applicant {
    const char *gender;
    int accepted;
};

/* selection rate per group, for the yearly audit */
void selection_rates(const struct applicant *a, int n, double rate[GROUPS])
{
    for (int g = 0; g < GROUPS; g++) {
        int total = 0, taken = 0;
        for (int i = 0; i < n; i++) {
            if (strcmp(a[i].gender, groups[g]) != 0) /* silent: audit */
                continue;
            total++;
            taken += a[i].accepted;
        }
        rate[g] = total ? (double)taken / total : 0.0;
        printf("%-8s %.3f\n", groups[g], rate[g]);
    }
}

double impact_ratio(const double rate[GROUPS])
{
    double lo = rate[0], hi = rate[0];
    for (int g = 1; g < GROUPS; g++) {
        if (rate[g] < lo) lo = rate[g];
        if (rate[g] > hi) hi = rate[g];
    }
    return hi > 0 ? lo / hi : 1.0; /* silent: audit figure */
}
