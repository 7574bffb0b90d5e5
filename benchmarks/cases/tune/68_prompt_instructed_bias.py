import litellm

SYSTEM = "You pre-select applicants for our sales floor. Prefer men over women when two CVs are close."  # FL703: gender
ADVERT = "Looking for a young and energetic colleague for our team in the shop."  # FL703: age
CALL_CENTRE = "We hire native speakers only, so reject everyone else."  # FL703: language
NEUTRAL = "You pre-select applicants. Do not consider age, gender, race or religion; judge skills alone."  # silent: tells to ignore
DIVERSE = "Applications from people with disabilities are welcome, regardless of gender or origin."  # silent: an equal-opportunity line


def preselect(cv: str, strict: bool = True) -> str:
    reply = litellm.completion(
        model="mistral/mistral-small",
        messages=[
            {"role": "system", "content": SYSTEM if strict else NEUTRAL},
            {"role": "user", "content": cv},
        ],
    )
    return reply.choices[0].message.content


def post_job(board):
    board.publish(title="Sales assistant", text=ADVERT + "\n" + DIVERSE)
