#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct member {
    char first_name[32];
    char last_name[32];
    char gender;
    int age;
};

static const char *pronoun(char gender)
{
    return gender == 'F' ? "she" : gender == 'M' ? "he" : "they"; /* silent: pronouns */
}

int parse_gender(const char *text, char *out)
{
    char c = (char)toupper((unsigned char)text[0]);
    if (c != 'F' && c != 'M' && c != 'X') /* silent: validation */
        return -1;
    *out = c;
    return 0;
}

void export_row(FILE *f, const struct member *m)
{
    fprintf(f, "%s;%s;%c;%d\n", m->last_name, m->first_name, m->gender, m->age); /* silent: stored */
}

void welcome(const struct member *m)
{
    printf("%s is our new member, %s joined today.\n", m->first_name, pronoun(m->gender)); /* silent: shown */
}
