import os
from string import Template

from transformers import pipeline

gen = pipeline("text-generation", model=os.environ["MODEL"])

ADMIT = "Student of religion %s with grade %.1f. Admit or reject to the programme?"  # FL701: religion
RANK = Template("Rank these tenants for the flat. Marital status: $marital_status, rent history: $history")  # FL701: marital_status
GRADE = Template("Grade this essay from 1 to 6 and give one reason:\n$essay")  # silent: no protected attribute


def admit(s):
    return gen(ADMIT % (s.religion, s.grade))[0]["generated_text"]


def rank(t):
    return gen(RANK.substitute(marital_status=t.marital_status, history=t.history))


def grade(essay):
    return gen(GRADE.substitute(essay=essay))
