def keep(people, predicate):
    return [p for p in people if predicate(p)]


def is_single(tenant):
    return tenant.marital_status == "single"  # FL106|FL101: marital_status


def pays_on_time(tenant):
    return tenant.late_payments == 0


def invite_to_viewing(tenants, flats):
    invited = keep(tenants, is_single)
    invited = keep(invited, pays_on_time)
    return list(zip(invited, flats))


def married_share(tenants):
    married = sum(1 for t in tenants if t.marital_status == "married")  # silent: a share is computed
    return married / len(tenants)
