#include <stdlib.h>

typedef enum { SINGLE, MARRIED, DIVORCED, WIDOWED } marital_t;

typedef struct {
    int id;
    marital_t marital_status;
    int months_waiting;
    int adults;
} household;

static int suitable(const household *h)
{
    return h->marital_status == MARRIED; /* FL101|FL106: marital_status */
}

static int by_wait(const void *a, const void *b)
{
    const household *x = a, *y = b;
    return y->months_waiting - x->months_waiting;
}

int offer_flats(household *list, int n, int *offered, int flats)
{
    int k = 0;
    qsort(list, n, sizeof *list, by_wait);
    for (int i = 0; i < n && k < flats; i++) {
        if (!suitable(&list[i]))
            continue;
        offered[k++] = list[i].id;
    }
    return k;
}
