#include <stdio.h>
#include <string.h>

struct member {
    char surname[32];
    char gender[10];
    int age;
    int fee;
};

void salutation(const struct member *m, char *out, size_t n)
{
    if (strcmp(m->gender, "female") == 0) /* silent: salutation */
        snprintf(out, n, "Dear Ms %s", m->surname);
    else if (strcmp(m->gender, "male") == 0) /* silent: salutation */
        snprintf(out, n, "Dear Mr %s", m->surname);
    else
        snprintf(out, n, "Dear %s", m->surname);
}

void statistics(const struct member *m, int n)
{
    int women = 0, men = 0;
    long sum = 0;
    for (int i = 0; i < n; i++) {
        if (strcmp(m[i].gender, "female") == 0) /* silent: counting */
            women++;
        else if (strcmp(m[i].gender, "male") == 0) /* silent: counting */
            men++;
        sum += m[i].age;
    }
    printf("%d women, %d men, mean age %.1f\n", women, men, n ? (double)sum / n : 0.0); /* silent: statistics */
}
