#include <stddef.h>
#include <string.h>

struct nationality_weight {
    const char *nationality;
    int points;
};

static const struct nationality_weight visa_table[] = { /* FL202|FL201: national_origin */
    { "swiss", 30 },
    { "canadian", 25 },
    { "syrian", 2 },
    { "turkish", 6 },
};

struct visa_applicant {
    const char *nationality;
    int funds;
    int ties;
};

static int table_points(const char *nationality)
{
    for (size_t i = 0; i < sizeof visa_table / sizeof visa_table[0]; i++)
        if (strcmp(visa_table[i].nationality, nationality) == 0)
            return visa_table[i].points;
    return 10;
}

int visa_score(const struct visa_applicant *a)
{
    int score = a->funds / 500 + 3 * a->ties;
    score += table_points(a->nationality);
    return score;
}
