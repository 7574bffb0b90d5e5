#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct options {
    const char *gender;
    const char *marital_status;
    const char *color;
    double income;
};

static struct options parse(int argc, char **argv)
{
    struct options opt = {
        .gender = "male", /* FL403: gender */
        .marital_status = NULL, /* silent: no group by default */
        .color = "white", /* silent: the colour of the output */
    };
    int c;
    while ((c = getopt(argc, argv, "g:m:i:")) != -1) {
        switch (c) {
        case 'g': opt.gender = optarg; break;
        case 'm': opt.marital_status = optarg; break;
        case 'i': sscanf(optarg, "%lf", &opt.income); break;
        }
    }
    return opt;
}

int main(int argc, char **argv)
{
    struct options opt = parse(argc, argv);
    printf("%s %s %.2f\n", opt.gender, opt.marital_status ? opt.marital_status : "-", opt.income * 0.28); /* silent: shown */
    return 0;
}
