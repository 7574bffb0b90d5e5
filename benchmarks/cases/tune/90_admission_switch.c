#include <stdio.h>

enum religion { CHRISTIAN, MUSLIM, ATHEIST };

struct pupil {
    char name[60];
    enum religion religion;
    float grade;
};

static int community_points(enum religion r)
{
    switch (r) { /* FL201|FL202|FL101: religion */
    case CHRISTIAN: return 6;
    case MUSLIM: return 3;
    default: return 1;
    }
}

int admission_points(const struct pupil *p)
{
    int points = (int)(p->grade * 10);
    points += community_points(p->religion);
    return points;
}

const char *religion_name(enum religion r)
{
    switch (r) { /* silent: labels */
    case CHRISTIAN: return "Christian";
    case MUSLIM: return "Muslim";
    default: return "none";
    }
}
