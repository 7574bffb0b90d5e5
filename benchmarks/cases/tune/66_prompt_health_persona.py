"""Prompts of the patient app: none of them selects people."""
from string import Template

ADVICE = Template("A $age year old $sex patient reports $symptom. Explain what it could be and when to see a doctor.")  # silent: health advice
PERSONA = "You are Marta, a 42-year-old Mexican woman who loves gardening. Stay in character."  # silent: a persona
DIET = "Give nutrition tips for a pregnant woman in week %d."  # silent: health advice
STORY = "Write a bedtime story about a {age}-year-old {gender} astronaut."  # silent: a story


def advice(patient, symptom):
    return ADVICE.substitute(age=patient.age, sex=patient.sex, symptom=symptom)


def chat(history, llm):
    return llm([{"role": "system", "content": PERSONA}, *history])


def bedtime(child):
    return STORY.format(age=child.age, gender=child.gender)


def diet(week):
    return DIET % week
