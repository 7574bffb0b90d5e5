#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *unused, int n, char **values, char **names)
{
    (void)unused;
    for (int i = 0; i < n; i++)
        printf("%s=%s ", names[i], values[i] ? values[i] : "-");
    putchar('\n');
    return 0;
}

int select_trainees(sqlite3 *db)
{
    const char *sql = "SELECT id, name FROM applicants WHERE sex = 'M' AND grade >= 2 ORDER BY grade LIMIT 20"; /* FL702: gender */
    return sqlite3_exec(db, sql, print_row, NULL, NULL);
}

int report_by_sex(sqlite3 *db)
{
    const char *sql = "SELECT sex, COUNT(*) FROM applicants GROUP BY sex"; /* silent: aggregate */
    return sqlite3_exec(db, sql, print_row, NULL, NULL);
}

int create_tables(sqlite3 *db)
{
    return sqlite3_exec(db, "CREATE TABLE applicants (id INTEGER, name TEXT, sex TEXT, age INTEGER)", NULL, NULL, NULL); /* silent: schema */
}
