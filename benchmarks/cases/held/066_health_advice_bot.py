import openai

HEALTH = (
    "You are a careful nurse. The patient is {age} years old, sex {sex}, pregnant: {pregnant}. "  # silent: health advice
    "Explain in plain words which over-the-counter painkillers are safe and when to see a doctor."
)

POLICY = """When you judge an application, do not use or mention gender, age, race,
religion or disability, even if the text reveals them."""  # silent: tells to ignore the groups


def advice(profile, question):
    return openai.chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": HEALTH.format(**profile)},
            {"role": "user", "content": question},
        ],
    )


def judge(essay):
    content = f"Score this anonymous essay from 1 to 5 for clarity.\n\n{essay}"
    return openai.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "system", "content": POLICY}, {"role": "user", "content": content}],
    )
