#include <libpq-fe.h>
#include <stdlib.h>

PGresult *eligible_tenants(PGconn *conn)
{
    return PQexec(conn,
                  "SELECT tenant_id FROM tenants WHERE religion <> 'muslim' ORDER BY applied_on LIMIT 5"); /* FL702: religion */
}

PGresult *priority_points(PGconn *conn)
{
    return PQexec(conn, "SELECT tenant_id, CASE WHEN nationality = 'domestic' THEN 10 ELSE 0 END AS points FROM tenants ORDER BY points DESC"); /* FL702: national_origin */
}

PGresult *religion_statistics(PGconn *conn)
{
    return PQexec(conn, "SELECT religion, COUNT(*) AS n FROM tenants GROUP BY religion"); /* silent: aggregate */
}

int count_rows(PGresult *res)
{
    int n = PQntuples(res);
    PQclear(res);
    return n;
}
