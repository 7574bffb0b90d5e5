#include <stdio.h>

struct applicant {
    char name[64];
    char gender[16];
    int years;
    double income;
};

/* llm.c */
int llm_ask(const char *prompt, char *answer, size_t len);

int decide_credit(const struct applicant *a, char *answer, size_t len)
{
    char prompt[512];
    snprintf(prompt, sizeof prompt, "Approve or reject the loan. Gender: %s, income: %.0f.", a->gender, a->income); /* FL701: gender */
    return llm_ask(prompt, answer, len);
}

int greet(const struct applicant *a, char *answer, size_t len)
{
    char prompt[256];
    snprintf(prompt, sizeof prompt, "Write a friendly greeting for %s (%s).", a->name, a->gender); /* silent: a greeting */
    return llm_ask(prompt, answer, len);
}
