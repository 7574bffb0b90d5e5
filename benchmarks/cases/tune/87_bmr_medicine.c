#include <stdio.h>

typedef enum { FEMALE, MALE } sex_t;

typedef struct {
    sex_t sex;
    int age;
    double weight;
    double height;
    int pregnant;
} patient_t;

double bmr(const patient_t *p)
{
    double base = 10 * p->weight + 6.25 * p->height - 5.0 * p->age; /* silent: medical formula */
    return p->sex == MALE ? base + 5 : base - 161; /* silent: medical formula */
}

int xray_allowed(const patient_t *p)
{
    if (p->pregnant) /* silent: contraindication */
        return 0;
    return 1;
}

void print_patient(const patient_t *p)
{
    printf("%s, %d years, BMR %.0f kcal\n", p->sex == FEMALE ? "female" : "male", p->age, bmr(p)); /* silent: shown */
}
