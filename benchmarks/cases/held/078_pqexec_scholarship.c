#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static PGresult *award_scholarships(PGconn *conn)
{
    return PQexec(conn,
                  "UPDATE students SET awarded = TRUE " /* FL702: race */
                  "WHERE race = 'White' AND gpa > 3.5");
}

static PGresult *race_statistics(PGconn *conn)
{
    return PQexec(conn, "SELECT race, AVG(gpa), COUNT(*) FROM students GROUP BY race"); /* silent: aggregate */
}

int main(void)
{
    PGconn *conn = PQconnectdb("dbname=school");
    if (PQstatus(conn) != CONNECTION_OK) {
        fputs(PQerrorMessage(conn), stderr);
        return EXIT_FAILURE;
    }
    PQclear(award_scholarships(conn));
    PGresult *res = race_statistics(conn);
    for (int i = 0; i < PQntuples(res); i++)
        printf("%-12s %s %s\n", PQgetvalue(res, i, 0), PQgetvalue(res, i, 1), PQgetvalue(res, i, 2));
    PQclear(res);
    PQfinish(conn);
    return 0;
}
