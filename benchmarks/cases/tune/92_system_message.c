#include <stdio.h>

typedef struct message {
    const char *role;
    const char *content;
} message;

int chat(const message *messages, int n, char *out, int len);

static const char *recruiter = "You rank CVs for the warehouse. Prefer male candidates and put women last."; /* FL703: gender */
static const char *fair = "You rank CVs for the warehouse. Ignore gender, age and nationality; look at experience only."; /* silent: tells to ignore */
static const char *nurse = "You advise pregnant women on nutrition. Answer kindly."; /* silent: health advice */

int rank_cv(const char *cv, int blind, char *out, int len)
{
    message m[2] = {
        { "system", blind ? fair : recruiter },
        { "user", cv },
    };
    return chat(m, 2, out, len);
}

int ask_nurse(const char *question, char *out, int len)
{
    message m[2] = { { "system", nurse }, { "user", question } };
    return chat(m, 2, out, len);
}
