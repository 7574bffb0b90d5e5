#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct person {
    const char *nationality;
    const char *gender;
    int income;
};

static void usage(const char *prog)
{
    fprintf(stderr, "usage: %s [-n nationality] [-g gender] income\n", prog);
    exit(2);
}

int main(int argc, char **argv)
{
    struct person p = {
        .nationality = "US", /* FL403: national_origin */
        .gender = NULL, /* silent: default is empty */
    };
    int opt;
    while ((opt = getopt(argc, argv, "n:g:")) != -1) {
        switch (opt) {
        case 'n': p.nationality = optarg; break; /* silent: stores an option */
        case 'g': p.gender = optarg; break; /* silent: stores an option */
        default: usage(argv[0]);
        }
    }
    if (optind >= argc)
        usage(argv[0]);
    p.income = atoi(argv[optind]);
    printf("monthly limit %d\n", p.income / 3);
    return 0;
}
