#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct applicant {
    char name[40];
    char race[16];
    int income;
    int late_payments;
};

static int group_points(const char *race)
{
    if (strcmp(race, "white") == 0) /* FL201|FL101: race */
        return 15;
    return 5;
}

int credit_score(const struct applicant *a)
{
    int score = a->income / 1000;
    score -= 10 * a->late_payments;
    score += group_points(a->race);
    return score;
}

bool approve(const struct applicant *a)
{
    return credit_score(a) >= 60;
}

void print_applicant(const struct applicant *a)
{
    printf("%s (%s): %d\n", a->name, a->race, a->income); /* silent: display */
}
