#include <ctype.h>

struct student {
    double gpa;
    int test_total;
    int is_veteran;
    int has_disability;
    char gender;
};

static double base(const struct student *s)
{
    return 12.5 * s->gpa + 0.02 * s->test_total;
}

double admission_score(const struct student *s)
{
    double score = base(s);
    score -= 4.0 * s->has_disability; /* FL205|FL203|FL201: disability */
    score += (s->gender == 'M') * 2.5; /* FL203: gender */
    return score;
}

int valid_student(const struct student *s)
{
    char g = (char)toupper((unsigned char)s->gender);
    if (g != 'M' && g != 'F' && g != 'X') /* silent: validation */
        return 0;
    return s->gpa >= 0.0 && s->gpa <= 4.0;
}
