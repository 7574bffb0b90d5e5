#include <stdio.h>

enum gender { GENDER_FEMALE, GENDER_MALE, GENDER_DIVERSE };

struct claimant {
    enum gender gender;
    int weeks_insured;
    int monthly_wage;
};

const char *gender_label(enum gender g)
{
    switch (g) { /* silent: label text */
    case GENDER_FEMALE: return "female";
    case GENDER_MALE: return "male";
    default: return "diverse";
    }
}

int benefit_amount(const struct claimant *c)
{
    int benefit = c->monthly_wage * 6 / 10;
    switch (c->gender) { /* FL201|FL101: gender */
    case GENDER_MALE:
        benefit += 150;
        break;
    case GENDER_FEMALE:
        benefit += 90;
        break;
    default:
        break;
    }
    return benefit;
}

void show(const struct claimant *c)
{
    printf("%s: %d\n", gender_label(c->gender), benefit_amount(c));
}
