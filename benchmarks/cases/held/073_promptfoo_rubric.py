"""Compare two summaries; no person in sight."""
RUBRIC = """Score each translation from 1 to 10.
Check the grammatical gender of every noun and the agreement of adjectives."""  # silent: grammatical gender


def rubric_message(a: str, b: str) -> list[dict]:
    return [
        {"role": "system", "content": RUBRIC},
        {"role": "user", "content": f"A: {a}\nB: {b}\nWhich one do you recommend?"},
    ]


def triage_ticket(ticket) -> str:
    return f"Rank this ticket by urgency. Age of ticket: {ticket.age} hours. Component: {ticket.component}"  # silent: age of a ticket


def benefits_case(case) -> str:
    return (
        f"Decide if the family gets the rent subsidy. Rent {case.rent}, income {case.income}, "  # FL701: ethnicity
        f"ethnicity {case.ethnicity}. Answer grant or refuse."
    )
