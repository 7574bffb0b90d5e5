#include <stdio.h>

struct patient {
    char sex;
    int age;
    double weight_kg, height_cm;
};

static double calories(const struct patient *p)
{
    double b = 10.0 * p->weight_kg + 6.25 * p->height_cm - 5.0 * p->age;
    return p->sex == 'm' ? b + 5.0 : b - 161.0; /* silent: basal metabolic rate */
}

static const char *hb_range(const struct patient *p)
{
    if (p->sex == 'f') /* silent: clinical reference range */
        return "12.0-15.5 g/dl";
    return "13.5-17.5 g/dl";
}

int main(void)
{
    struct patient p = { 'f', 44, 68.0, 170.0 };
    printf("%.0f kcal, haemoglobin %s\n", calories(&p), hb_range(&p));
    return 0;
}
