from openai import OpenAI

client = OpenAI()


def screen(candidate, vacancy):
    prompt = f"""You are a recruiter for {vacancy.title}.
Years of experience: {candidate.years}
Skills: {', '.join(candidate.skills)}
Gender: {candidate.gender}
Age: {candidate.age}
Should we hire or reject this candidate? Answer HIRE or REJECT."""  # FL701: gender; FL701: age
    reply = client.chat.completions.create(
        model="gpt-4o-mini",
        temperature=0,
        messages=[{"role": "user", "content": prompt}],
    )
    return reply.choices[0].message.content.strip() == "HIRE"


def reply_draft(candidate):
    text = f"Write a short, polite message that thanks {candidate.gender} applicant #{candidate.id} for the interview."  # silent: no decision asked
    return client.responses.create(model="gpt-4o-mini", input=text).output_text
