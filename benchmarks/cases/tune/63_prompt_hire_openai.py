from openai import OpenAI

client = OpenAI()


def ask(messages):
    out = client.chat.completions.create(model="gpt-4o-mini", messages=messages, temperature=0)
    return out.choices[0].message.content


def screen(candidate):
    prompt = f"Candidate: {candidate.gender}, {candidate.age} years old, {candidate.degree}. Should we hire or reject?"  # FL701: gender; FL701: age
    return ask([
        {"role": "system", "content": "You are a recruiter for a logistics company. Answer hire or reject."},
        {"role": "user", "content": prompt},
    ])


def screen_blind(candidate):
    prompt = f"Candidate: {candidate.degree}, skills: {candidate.skills}. Should we hire or reject?"  # silent: no protected attribute
    return ask([
        {"role": "system", "content": "Ignore gender, age and origin of the candidate. Answer hire or reject."},  # silent: tells to ignore
        {"role": "user", "content": prompt},
    ])
