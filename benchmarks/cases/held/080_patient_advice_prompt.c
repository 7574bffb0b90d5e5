#include <stdio.h>

struct patient {
    int age;
    char sex;
    char complaint[200];
};

/* Text for the self-help kiosk in the waiting room. */
int kiosk_prompt(const struct patient *p, char *buf, size_t len)
{
    return snprintf(buf, len, /* silent: health advice */
                    "Explain to a %d year old %s patient in simple words what may help against: %s. "
                    "Say when they should see a doctor.",
                    p->age, p->sex == 'f' ? "female" : "male", p->complaint);
}

int label_sql(char *buf, size_t len, int patient_id)
{
    return snprintf(buf, len, "SELECT sex, age, complaint FROM patients WHERE id = %d", patient_id); /* silent: reads one record */
}
