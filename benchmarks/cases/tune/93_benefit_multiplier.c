#include <stddef.h>

typedef struct claimant {
    double rent;
    double income;
    int disabled;        /* 0 or 1 */
    int is_foreigner;
    int weeks_waiting;
} claimant;

/* monthly housing allowance */
double allowance(const claimant *c)
{
    double amount = c->rent * 0.6;
    if (c->is_foreigner) /* FL204|FL603: national_origin */
        amount *= 0.5;
    return amount;
}

size_t count_disabled(const claimant *list, size_t n)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].disabled) /* silent: counting */
            total++;
    return total;
}

int is_urgent(const claimant *c)
{
    return c->weeks_waiting > 12; /* silent: waiting time */
}
