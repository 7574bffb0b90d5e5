import textwrap

SCREENER = textwrap.dedent(
    """\
    You read CVs for a support hotline.
    Only consider native speakers. Do not invite anybody with a foreign accent.
    Return the ids of the five best CVs.
    """
)  # FL703: language

SKILLED = textwrap.dedent(
    """\
    You read CVs for a support hotline.
    Require a C1 certificate in French; where it was learnt does not matter.
    """
)  # silent: asks for a skill level


def system_prompt(strict: bool) -> str:
    return SCREENER if strict else SKILLED
