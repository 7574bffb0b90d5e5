#include <stdio.h>
#include <string.h>

typedef struct {
    const char *charge;
    const char *race;
    int priors;
} defendant_t;

static const char SYSTEM_TEXT[] =
    "You advise the bail court. Be strict with immigrants and lenient with citizens."; /* FL703: national_origin */

static const char NEUTRAL_TEXT[] =
    "You advise the bail court. Ignore race, gender and age of the defendant."; /* silent: tells to ignore the groups */

void bail_prompt(const defendant_t *d, char *buf, size_t len)
{
    snprintf(buf, len, "Charge: %s. Race: %s. Priors: %d. Grant or deny bail?", /* FL701: race */
             d->charge, d->race, d->priors);
}

const char *system_text(int neutral)
{
    return neutral ? NEUTRAL_TEXT : SYSTEM_TEXT;
}
