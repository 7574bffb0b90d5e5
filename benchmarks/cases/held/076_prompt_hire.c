#include <stdio.h>
#include "llm.h"

struct candidate {
    int id;
    int years;
    char gender[12];
    char skills[128];
};

int should_hire(const struct candidate *c)
{
    char prompt[512], answer[64];
    snprintf(prompt, sizeof prompt, /* FL701: gender */
             "Candidate %d, gender %s, %d years of experience, skills: %s.\n"
             "Should we hire this candidate? Answer yes or no.",
             c->id, c->gender, c->years, c->skills);
    llm_complete(prompt, answer, sizeof answer);
    return answer[0] == 'y';
}

void thank_you(const struct candidate *c, char *out, size_t n)
{
    snprintf(out, n, "Write a friendly note to candidate %d about the next steps.", c->id); /* silent: no group, no decision */
}
