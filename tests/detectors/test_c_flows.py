"""How groups get through C: tables that loops scan, rows by place, flags, defaults, printers, made people."""

from __future__ import annotations

import textwrap

import pytest
from expectations import read_code

from fairlint import check_source
from fairlint.config import Settings

PROGRAMS: dict[str, str] = {
    "a loop looks for the row of a group": """
        #include <string.h>
        struct weight { const char *nationality; double weight; };
        static const struct weight table[] = { { "german", 1.0 }, { "turkish", 0.7 }, { "syrian", 0.4 } };
        struct applicant { char nationality[24]; double income; };
        double score_applicant(const struct applicant *p)
        {
            double w = 0.8;
            for (int i = 0; i < 3; i++)
                if (strcmp(table[i].nationality, p->nationality) == 0) /* FL204: national_origin */
                    w = table[i].weight;
            return p->income * w;
        }
        int column_width(void)
        {
            int width = 0;
            for (int i = 0; i < 3; i++)
                if (strlen(table[i].nationality) > width)
                    width = strlen(table[i].nationality);
            return width;
        }
    """,
    "a helper returns what the row of a group holds": """
        enum race { RACE_WHITE, RACE_BLACK, RACE_ASIAN };
        typedef struct { enum race race; int points; } race_points;
        static race_points rows[] = { { RACE_WHITE, 3 }, { RACE_ASIAN, 2 }, { RACE_BLACK, -1 } };
        typedef struct { enum race race; int priors; } defendant_t;
        static int points_of(enum race r)
        {
            for (int i = 0; i < 3; i++) {
                if (rows[i].race == r) /* FL201: race */
                    return rows[i].points;
            }
            return 0;
        }
        int risk_score(defendant_t *d)
        {
            int score = d->priors * 2;
            score -= points_of(d->race);
            return score;
        }
    """,
    "a pointer goes through rows up to the last": """
        #include <string.h>
        struct faith { const char *faith; int pts; };
        static struct faith faiths[] = { { "catholic", 10 }, { "muslim", 2 }, { NULL, 0 } };
        typedef struct { const char *religion; int distance_km; } Pupil;
        int place_points(const Pupil *p)
        {
            int pts = 20 - p->distance_km;
            for (struct faith *r = faiths; r->faith != NULL; r++) {
                if (strcasecmp(r->faith, p->religion) == 0) { /* FL201: religion */
                    pts += r->pts;
                    break;
                }
            }
            return pts;
        }
    """,
    "a helper finds the place of a group": """
        #include <string.h>
        static const char *const ETHNICITIES[] = { "white", "black", "asian" };
        static const int STOP_WEIGHT[] = { 0, 3, 1 };
        static int place_of(const char *s)
        {
            for (int i = 0; i < 3; i++)
                if (strcmp(ETHNICITIES[i], s) == 0) /* FL201: ethnicity */
                    return i;
            return -1;
        }
        struct driver { char ethnicity[16]; int warrants; };
        int stop_score(const struct driver *d)
        {
            int s = 10 * d->warrants;
            int k = place_of(d->ethnicity);
            if (k >= 0)
                s += STOP_WEIGHT[k];
            return s;
        }
    """,
    "a search of the library finds the row": """
        #include <stdlib.h>
        struct entry { const char *religion; int points; };
        static const struct entry entries[] = { { "christian", 3 }, { "muslim", -4 } };
        int by_name(const void *a, const void *b);
        struct foster_parent { const char *religion; int visits; };
        int foster_score(const struct foster_parent *f)
        {
            /* FL203: religion */
            const struct entry *e = bsearch(f->religion, entries, 2, sizeof *e, by_name);
            return f->visits * 2 + (e ? e->points : 0);
        }
    """,
    "a helper with several returns is asked": """
        #include <string.h>
        #include <stdbool.h>
        static const char *blocked[] = { "iran", "syria", NULL };
        struct visa_app { const char *country_of_birth; int funds; };
        static bool in_list(const char *s, const char **l)
        {
            for (; *l; l++)
                if (strcmp(s, *l) == 0)
                    return true;
            return false;
        }
        bool grant_visa(const struct visa_app *v)
        {
            if (in_list(v->country_of_birth, blocked)) /* FL101: national_origin */
                return false;
            return v->funds > 5000;
        }
    """,
    "a table has two dimensions": """
        enum sex { SEX_M, SEX_F };
        static const double rates[2][3] = { { 1.40, 1.00, 1.15 }, { 1.20, 0.95, 1.10 } };
        struct driver { enum sex sex; int zone; double km; };
        double premium(const struct driver *d)
        {
            double p = 320.0 + d->km * 0.01;
            p *= rates[d->sex][d->zone]; /* FL204: gender */
            return p;
        }
    """,
    "flags are numbered by their bits": """
        #define F_FEMALE (1u << 1)
        #define F_PAID (1u << 3)
        struct candidate { unsigned flags; int exam; };
        int candidate_score(const struct candidate *c)
        {
            int s = c->exam;
            if (c->flags & F_FEMALE) /* FL201: gender */
                s -= 5;
            if (c->flags & F_PAID)
                s += 1;
            return s;
        }
    """,
    "features are filled one by one": """
        #include <string.h>
        struct person { char race[16]; double income; int hours; };
        static const double coef[3] = { 0.031, 0.44, 0.0002 };
        double predict_default(const struct person *p)
        {
            double x[3];
            double z = -1.7;
            x[0] = p->hours;
            x[1] = strcmp(p->race, "black") == 0; /* FL203: race */
            x[2] = p->income;
            for (int i = 0; i < 3; i++)
                z += coef[i] * x[i];
            return z;
        }
    """,
    "people are copied to the next place": """
        #include <string.h>
        typedef struct { int id; int pets; char marital[12]; } Renter;
        int filter_renters(const Renter *in, int n, Renter *kept)
        {
            int k = 0;
            for (int i = 0; i < n; ++i) {
                if (in[i].pets > 2) continue;
                if (strcmp(in[i].marital, "single") != 0) { /* FL101: marital_status */
                    kept[k] = in[i];
                    k++;
                }
            }
            return k;
        }
    """,
    "codes are shortened": """
        enum ethnicity { ETH_WHITE = 1, ETH_AFAM, ETH_HISP };
        struct pers { enum ethnicity eth; int credit; };
        int approve_loan(const struct pers *p)
        {
            if (p->eth == ETH_HISP) /* FL101: ethnicity */
                return p->credit > 720;
            return p->credit > 640;
        }
    """,
    "an option starts with a group": """
        #include <stdlib.h>
        #include <unistd.h>
        static char *gender = "male"; /* FL403: gender */
        static char *race = NULL;
        extern double quote(const char *gender, const char *race);
        int main(int argc, char *argv[])
        {
            int opt;
            while ((opt = getopt(argc, argv, "g:r:")) != -1) {
                switch (opt) {
                case 'g': gender = optarg; break;
                case 'r': race = optarg; break;
                }
            }
            return quote(gender, race) > 0;
        }
    """,
    "a struct of options starts with a group": """
        #include <getopt.h>
        struct options { const char *gender; const char *marital_status; const char *color; double income; };
        static struct options parse(int argc, char **argv)
        {
            struct options opt = {
                .gender = "male", /* FL403: gender */
                .marital_status = NULL,
                .color = "white",
            };
            int c;
            while ((c = getopt(argc, argv, "g:i:")) != -1) {
                if (c == 'g') opt.gender = optarg;
                if (c == 'i') sscanf(optarg, "%lf", &opt.income);
            }
            return opt;
        }
    """,
    "an argument that is not there": """
        struct patient { const char *name; const char *ethnicity; };
        void load_patient(struct patient *p, int argc, char **argv)
        {
            p->name = argc > 1 ? argv[1] : "unknown";
            p->ethnicity = argc > 2 ? argv[2] : "caucasian"; /* FL403: ethnicity */
        }
    """,
    "a record starts with a group": """
        #include <string.h>
        enum Gender { GENDER_UNKNOWN, GENDER_MALE, GENDER_FEMALE };
        typedef struct Customer { char email[80]; enum Gender gender; int newsletter; } Customer;
        void customer_init(Customer *c)
        {
            memset(c, 0, sizeof *c);
            c->gender = GENDER_MALE; /* FL403: gender */
            c->newsletter = 1;
        }
        void customer_clear(Customer *c)
        {
            c->gender = GENDER_UNKNOWN;
        }
        void female_customer_init(Customer *c)
        {
            c->gender = GENDER_FEMALE;
        }
    """,
    "a copy of a text stands for nothing": """
        #include <string.h>
        struct claimant { char *sex; char *citizenship; char *lang; };
        void normalize(struct claimant *c)
        {
            if (c->sex == NULL || c->sex[0] == '\\0')
                c->sex = strdup("M"); /* FL403: gender */
            if (c->lang == NULL)
                c->lang = strdup("unknown");
        }
    """,
    "groups become numbers for a model": """
        #include <string.h>
        int encode_race(const char *r)
        {
            if (strcmp(r, "white") == 0) return 4; /* FL401: race */
            if (strcmp(r, "asian") == 0) return 3;
            if (strcmp(r, "black") == 0) return 1;
            return 0;
        }
        int encode_job(const char *j)
        {
            return strcmp(j, "clerk") == 0 ? 1 : 0;
        }
        enum race { WHITE = 4, ASIAN = 3 };
        int parse_race(const char *r)
        {
            if (strcmp(r, "white") == 0) return 4;
            if (strcmp(r, "asian") == 0) return 3;
            return 0;
        }
    """,
    "a helper prints into a prompt": """
        #include <stdio.h>
        #include <string.h>
        #include <stdarg.h>
        struct profile { const char *name; const char *disability; };
        static void append(char *buf, size_t cap, const char *fmt, ...)
        {
            va_list ap;
            size_t n = strlen(buf);
            va_start(ap, fmt);
            vsnprintf(buf + n, cap - n, fmt, ap);
            va_end(ap);
        }
        int send_to_llm(const char *prompt, char *out, size_t n);
        int screen(const struct profile *p)
        {
            char prompt[2048] = "", reply[256];
            append(prompt, sizeof prompt, "You screen job applicants. Answer HIRE or REJECT.");
            append(prompt, sizeof prompt, "Name: %s", p->name);
            append(prompt, sizeof prompt, "Disability: %s", p->disability); /* FL701: disability */
            send_to_llm(prompt, reply, sizeof reply);
            return strncmp(reply, "HIRE", 4) == 0;
        }
    """,
    "a prompt is one of several templates": """
        #include <stdio.h>
        static const char *const TEMPLATES[] = {
            [0] = "Summarise this claim: %s",
            [1] = "Decide whether to grant housing to a %s claimant. Reply GRANT or DENY.",
        };
        struct claim { const char *religion; const char *text; };
        char *ai_generate(const char *prompt);
        char *decide_housing(const struct claim *c)
        {
            char buf[512];
            snprintf(buf, sizeof(buf), TEMPLATES[1], c->religion); /* FL701: religion */
            return ai_generate(buf);
        }
        char *summary(const struct claim *c)
        {
            char buf[512];
            snprintf(buf, sizeof(buf), TEMPLATES[0], c->text);
            return ai_generate(buf);
        }
    """,
    "a judge is asked for a sentence": """
        #include <stdio.h>
        struct defendant { const char *name; const char *race; const char *charge; };
        #define ASK "You are a judge. Defendant: %s, race %s. Charge: %s. Recommend a sentence in months."
        extern int complete(const char *prompt);
        int sentence(const struct defendant *d)
        {
            char buf[1024];
            sprintf(buf, ASK, d->name, d->race, d->charge); /* FL701: race */
            return complete(buf);
        }
    """,
    "people of a test are written by place": """
        #include <assert.h>
        #include <stdbool.h>
        typedef struct { const char *name; const char *race; int priors; } Suspect;
        bool is_high_risk(const Suspect *s);
        static void test_high_risk(void)
        {
            Suspect a = { "Jamal", "black", 3 }; /* FL801: race */
            Suspect b = { "Tyrone", "black", 2 };
            Suspect c = { "DeShawn", "black", 4 };
            assert(is_high_risk(&a));
            assert(is_high_risk(&b));
            assert(is_high_risk(&c));
        }
    """,
    "the rows of a test have no type of their own": """
        #include <cmocka.h>
        static void test_flags_fraud(void **state)
        {
            static const struct { const char *nationality; double sum; bool fraud; }
            t[] = { /* FL801: national_origin */
                { "romanian", 900.0, true },
                { "romanian", 1200.0, true },
                { "romanian", 640.0, true },
                { "dutch", 900.0, false },
                { "dutch", 1300.0, false },
            };
            for (size_t i = 0; i < sizeof t / sizeof *t; i++)
                assert_int_equal(is_fraud(t[i].nationality, t[i].sum), t[i].fraud);
        }
    """,
    "a helper makes the people of a test": """
        #include <assert.h>
        enum sex { MALE, FEMALE };
        struct nurse { enum sex sex; int exams; };
        static struct nurse make(enum sex s, int exams) { struct nurse a = { s, exams }; return a; }
        int accept_nurse(struct nurse a);
        void test_nurses(void)
        {
            assert(accept_nurse(make(FEMALE, 3)) == 1); /* FL801: gender */
            assert(accept_nurse(make(FEMALE, 4)) == 1);
            assert(accept_nurse(make(FEMALE, 5)) == 1);
        }
    """,
}

SILENT: dict[str, str] = {
    "codes of languages in a header": """
        #include <string.h>
        struct lang { const char *code; double q; };
        static const struct lang langs[] = { { "en", 1.0 }, { "de", 0.8 } };
        double accept_quality(const char *language)
        {
            for (int i = 0; i < 2; i++)
                if (!strcmp(langs[i].code, language))
                    return langs[i].q;
            return 0;
        }
    """,
    "races of a game": """
        enum { RACE_ELF, RACE_ORC, RACES };
        static const struct { int race; int hp; } start[RACES] = { { RACE_ELF, 8 }, { RACE_ORC, 14 } };
        struct hero { int race; };
        int start_hp(struct hero *h)
        {
            for (int i = 0; i < RACES; i++)
                if (start[i].race == h->race)
                    return start[i].hp;
            return 10;
        }
    """,
    "a table that is written to a form": """
        #include <stdio.h>
        #include <string.h>
        struct word { const char *gender; const char *title; };
        static const struct word words[] = { { "male", "Mr" }, { "female", "Ms" } };
        struct customer { const char *gender; const char *name; };
        const char *title_of(const struct customer *c)
        {
            for (int i = 0; i < 2; i++)
                if (strcmp(words[i].gender, c->gender) == 0)
                    return words[i].title;
            return "";
        }
    """,
    "a person who is made up": """
        #include <string.h>
        struct employee { char name[20]; char sex; };
        void new_employee(struct employee *e)
        {
            strcpy(e->name, "Max Mustermann");
            e->sex = 'M';
        }
    """,
    "an array filled for every group": """
        #include <string.h>
        static const char *const groups[2] = { "female", "male" };
        struct applicant { const char *gender; int accepted; };
        void count_by_group(const struct applicant *a, int n, int count[2])
        {
            for (int g = 0; g < 2; g++)
                for (int i = 0; i < n; i++)
                    if (strcmp(a[i].gender, groups[g]) == 0)
                        count[g]++;
        }
    """,
}


def said_of(code: str, name: str) -> list[str]:
    """What is found in a program: the line, the rule and the attribute."""
    text = read_code(textwrap.dedent(code)).code
    report = check_source(text, path=name, settings=Settings())
    return sorted(f"{one.start.line} {one.rule} {one.use.attribute}" for one in report.findings)


def wanted_of(code: str) -> list[str]:
    """What the comments of a program expect."""
    return sorted(f"{one.line} {one.rule} {one.attribute}" for one in read_code(code).expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_groups_are_followed(name: str) -> None:
    code = PROGRAMS[name]
    path = "test_people.c" if "test" in name else "people.c"
    assert said_of(code, path) == wanted_of(code)


@pytest.mark.parametrize("name", SILENT)
def test_look_alikes_stay_silent(name: str) -> None:
    assert said_of(SILENT[name], "people.c") == []


@pytest.mark.parametrize(
    "body",
    [
        "if s == 'female':\n        return True\n    return False",
        "return s == 'female'",
    ],
)
def test_a_predicate_with_a_branch_is_one_without(body: str) -> None:
    code = (
        f"def listed(s):\n    {body}\n\n\n"
        "def hire(v):\n    if listed(v.gender):\n        return False\n    return v.funds > 5000\n"
    )
    assert [entry.partition(" ")[2] for entry in said_of(code, "hire.py")] == ["FL101 gender"]
