#include <stdio.h>
#include <string.h>

#define MAX 256

struct candidate {
    char religion[24];
    int age;
    int test_points;
    int id;
};

int select_candidates(const struct candidate *in, int n, struct candidate *out)
{
    int k = 0;
    for (int i = 0; i < n && k < MAX; i++) {
        if (strlen(in[i].religion) == 0) /* silent: missing value, only logged */
            fprintf(stderr, "candidate %d: religion not given\n", in[i].id);
        if (strcmp(in[i].religion, "muslim") == 0) /* FL106|FL101: religion */
            continue;
        if (in[i].age < 18) /* silent: legal minimum age */
            continue;
        if (in[i].test_points >= 70)
            out[k++] = in[i];
    }
    return k;
}
