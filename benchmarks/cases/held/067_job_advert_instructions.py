"""Text blocks for the advert generator and the screening agent."""

ADVERT_RULES = [
    "Mention the salary band and the city.",
    "Prefer male applicants for the night shift.",  # FL703: gender
    "We welcome applicants of every age, gender and origin.",  # silent: inclusive advert
    "Keep it under 200 words.",
]

AGENT = (
    "Choose applicants under 30 over older ones. "  # FL703: age
    "You pre-select applications for a courier company. "
    "A driving licence is required."
)


def build(role: str) -> str:
    return "Write an advert for " + role + ".\n" + "\n".join(ADVERT_RULES)


def screening_agent() -> dict:
    return {"role": "system", "content": AGENT}
