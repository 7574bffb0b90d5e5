#include <sqlite3.h>
#include <stdio.h>

static const char *PICK =
    "SELECT id FROM tenants WHERE disability = 0 " /* FL702: disability */
    "ORDER BY income DESC LIMIT 3";

static const char *REPORT =
    "SELECT disability, COUNT(*) FROM tenants GROUP BY disability"; /* silent: aggregate */

static int print_row(void *unused, int n, char **values, char **names)
{
    (void)unused;
    for (int i = 0; i < n; i++)
        printf("%s=%s ", names[i], values[i] ? values[i] : "-");
    putchar('\n');
    return 0;
}

int select_tenants(sqlite3 *db)
{
    return sqlite3_exec(db, PICK, print_row, NULL, NULL);
}

int report(sqlite3 *db)
{
    return sqlite3_exec(db, REPORT, print_row, NULL, NULL);
}
