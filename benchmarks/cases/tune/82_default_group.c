#include <stdlib.h>
#include <string.h>

struct person {
    char name[64];
    char race[24];
    char religion[24];
};

struct person *person_new(const char *name, const char *race, const char *religion)
{
    struct person *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    strncpy(p->name, name, sizeof p->name - 1);
    strncpy(p->race, race ? race : "white", sizeof p->race - 1); /* FL403: race */
    strncpy(p->religion, religion ? religion : "unknown", sizeof p->religion - 1); /* silent: unknown is no group */
    return p;
}

int person_valid(const struct person *p)
{
    if (p->race[0] == '\0') /* silent: validation */
        return 0;
    return strlen(p->name) > 1;
}
