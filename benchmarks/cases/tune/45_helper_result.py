"""Pre-selection for the trainee programme."""


def is_local(nationality):
    return nationality in ("German", "Austrian", "Swiss")


def has_permit(person):
    """The law asks every employer to look at the permit."""
    return person.work_permit_until is not None


def preselect(applicants):
    shortlist = []
    for applicant in applicants:
        if not has_permit(applicant):  # silent: work authorisation
            continue
        if is_local(applicant.nationality):  # FL101|FL106|FL603: national_origin
            shortlist.append(applicant)
    return shortlist


def print_list(applicants):
    for applicant in applicants:
        print(f"{applicant.name:<30} {applicant.nationality}")  # silent: printed
