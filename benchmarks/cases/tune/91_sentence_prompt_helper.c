#include <stdio.h>
#include <string.h>

struct defendant {
    const char *name;
    const char *race;
    int age;
    const char *charge;
};

#define SENTENCE_TEMPLATE "You are a judge. Defendant: %s, race %s. Charge: %s. Recommend a sentence in months."

extern int complete(const char *prompt);

int sentence(const struct defendant *d)
{
    char buf[1024];
    sprintf(buf, SENTENCE_TEMPLATE, d->name, d->race, d->charge); /* FL701: race */
    return complete(buf);
}

int summarize(const struct defendant *d)
{
    char buf[1024];
    sprintf(buf, "Summarize the charge of %s (%d years old) in one line: %s", d->name, d->age, d->charge); /* silent: a summary */
    return complete(buf);
}
