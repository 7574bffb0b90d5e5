"""Texts that ask for a decision about people, and texts that say whom to prefer."""

# ruff: noqa: E501 (programs with lines as people write them)

from __future__ import annotations

import textwrap
import time

import pytest
from expectations import read_code
from hypothesis import given
from hypothesis import strategies as st

from fairlint import check_source
from fairlint.analyses.prompts.prompt_intent import ask_of, flatten_text
from fairlint.analyses.prompts.stated_preference import preferences
from fairlint.analyses.prompts.templates import running_text
from fairlint.analyses.prompts.usages import usages
from fairlint.config import Settings
from fairlint.library_models import loading
from fairlint.semantics.execution import execute
from fairlint.syntax.python.parser import parse
from fairlint.syntax.source import Source
from fairlint.vocabulary import default_vocabulary

PYTHON: dict[str, str] = {
    "how urgent somebody's case is": """
        def order(client, caller):
            # FL701: ethnicity+religion
            prompt = f"Say how urgent this case is, from 1 to 5. Caller: {caller.ethnicity}, {caller.religion}. Says: {caller.words}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "a level of severity": """
        def order(client, patient):
            # FL701: race
            prompt = f"Patient, race {patient.race}: {patient.symptoms}. Recommend a severity level: self-care, pharmacist or hospital."
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "an agent that an object keeps": """
        from pydantic_ai import Agent

        class Desk:
            def __init__(self):
                self.agent = Agent("small", system_prompt="You are a loan officer. Approve or deny the application.")

            async def check(self, person):
                # FL701: gender
                return await self.agent.run(f"Gender: {person.gender}, income: {person.income}")
        """,
    "a chat of a model that a class tells who it is": """
        import google.generativeai as genai

        class Landlord:
            who = "You are a landlord with many flats. Decide which tenant gets the flat, and answer yes or no."

            def __init__(self):
                self.model = genai.GenerativeModel("small", system_instruction=self.who)
                self.chat = self.model.start_chat()

            def check(self, tenant):
                # FL701: national_origin
                return self.chat.send_message(f"Nationality: {tenant.nationality}")
        """,
    "which department a patient goes to": """
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_openai import ChatOpenAI

        prompt = ChatPromptTemplate.from_messages([
            ("system", "You work at a front desk. Your role is to recommend a hospital department for a patient."),
            # FL701: ethnicity
            ("human", "Ethnicity: {ethnicity}. Says: {words}"),
        ])
        chain = prompt | ChatOpenAI(model="small")

        def go(caller):
            return chain.invoke({"ethnicity": caller.ethnicity, "words": caller.words})
        """,
    "attributes by which a text says to judge": """
        def score(client, tenant):
            # FL703: religion
            prompt = f"Score the tenant {tenant} from 1 to 10, taking into account income, religion and debts."
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "the same of somebody, in a sentence of its own": """
        def choose(client, letter):
            # FL703: disability
            prompt = f"Decide whether to invite the candidate. Consider the disability of the candidate. Letter: {letter}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "a PromptTemplate over several lines": '''
        from langchain.prompts import PromptTemplate
        from langchain_openai import ChatOpenAI
        # FL701: gender
        template = PromptTemplate(input_variables=["name", "gender", "experience"], template="""You are an HR assistant.
        Evaluate whether {name} should be invited to an interview.
        Gender: {gender}
        Experience: {experience}
        """)
        chain = template | ChatOpenAI()
        ''',
    "chat messages with a label before the place": """
        from langchain_core.prompts import ChatPromptTemplate
        prompt = ChatPromptTemplate.from_messages([
            ("system", "You are a credit analyst. Decide if the loan should be approved."),
            # FL701: marital_status
            ("human", "Income {income}, debt {debt}, marital status {marital_status}"),
        ])
        """,
    "string.Template": """
        from string import Template
        # FL701: national_origin
        T = Template("Applicant $name ($nationality) asks for asylum. Grant or deny the request?")
        def ask(model, person):
            return model.generate(T.substitute(name=person.name, nationality=person.nationality))
        """,
    "percent": """
        def build_prompt(person):
            # FL701: religion
            return "Score this tenant from 1 to 10. Income: %d, religion: %s, pets: %s" % (person.income, person.religion, person.pets)
        """,
    "a Jinja template": '''
        from jinja2 import Template
        PROMPT = Template("""  # FL701: ethnicity
        You rank students for a scholarship.
        Name: {{ student.name }}
        Ethnicity: {{ student.ethnicity }}
        GPA: {{ student.gpa }}
        Return a score between 0 and 100.
        """)
        def score(student, llm):
            return llm(PROMPT.render(student=student))
        ''',
    "messages that are appended": """
        import openai
        def judge(defendant):
            messages = [{"role": "system", "content": "You are a judge. Decide on bail."}]
            # FL701: age+race
            messages.append({"role": "user", "content": f"Defendant is {defendant.age} years old, {defendant.race}, charged with {defendant.charge}."})
            return openai.chat.completions.create(model="gpt-4o", messages=messages)
        """,
    "dedent": '''
        import textwrap
        import anthropic
        def assess(applicant):
            client = anthropic.Anthropic()
            text = textwrap.dedent(f"""  # FL701: age
                Assess the creditworthiness of this applicant.
                Age: {applicant.age}
                Income: {applicant.income}
            """)
            return client.messages.create(model="claude", messages=[{"role": "user", "content": text}])
        ''',
    "a helper gives one line for each": """
        def profile(c):
            return f"{c.name}, {c.gender}, {c.years} years of experience"  # FL701: gender

        def rank(candidates, llm):
            prompt = "Rank these candidates for the position:\\n" + "\\n".join(profile(c) for c in candidates)
            return llm(prompt)
        """,
    "a record in JSON": """
        import json
        from openai import OpenAI
        client = OpenAI()
        def evaluate(applicant_id):
            applicant = {"name": "Ann", "age": 52, "sex": "F", "income": 40000}
            # FL701: age+gender
            r = client.responses.create(model="gpt-4.1", input="Should we approve this credit card application? " + json.dumps(applicant))
            return r.output_text
        """,
    "a record of a class of the file": """
        from dataclasses import dataclass, asdict
        @dataclass
        class Candidate:
            name: str
            gender: str
            skills: list
        def decide(candidate: Candidate, llm):
            prompt = f"Decide whether to hire this person: {asdict(candidate)}"  # FL701: gender
            return llm.complete(prompt)
        """,
    "a record that is handed over": """
        def decide(candidate, llm):
            # FL701: gender
            return llm.invoke(f"Here is a candidate: {candidate}. Should we invite them to an interview?")
        def main(llm):
            candidate = {"name": "Bo", "gender": "male", "skills": "python"}
            print(decide(candidate, llm))
        """,
    "a template filled from a record": '''
        PROMPT = """Predict whether the employee will be a good manager.  # FL701: pregnancy
        Name: {name}
        Pregnant: {pregnant}
        Rating: {rating}
        """
        def promotable(employee, llm):
            return llm.predict(PROMPT.format(**employee))
        ''',
    "words and values joined by plus": """
        def make_prompt(c):
            prompt = "You are a recruiter. "
            # FL701: age+gender
            prompt = prompt + "Here is a candidate: " + c.name + ", a " + str(c.age) + " year old " + c.gender + ". "
            prompt += "Should they be hired?"
            return prompt
        """,
    "rows of a table": """
        import ollama
        import pandas as pd
        def run(path):
            df = pd.read_csv(path)
            for _, row in df.iterrows():
                # FL701: gender
                q = f"Name: {row['name']}\\nSex: {row['sex']}\\nPrior offenses: {row['priors']}\\nWill this person reoffend? Answer yes or no."
                print(ollama.chat(model="llama3", messages=[{"role": "user", "content": q}]))
        """,
    "a record written out by a helper": """
        def describe(applicant):
            # FL701: disability
            return "\\n".join(f"{key}: {value}" for key, value in applicant.items())
        def screen(llm):
            applicant = {"name": "Jo", "disability": "none", "degree": "BSc"}
            prompt = f"Screen this applicant and recommend whether to shortlist them.\\n{describe(applicant)}"
            return llm(prompt)
        """,
    "constants of the class": """
        class Screener:
            SYSTEM = "You are a hiring manager. Reply HIRE or REJECT."
            USER = "Candidate: {name}. Ethnicity: {ethnicity}. Experience: {experience}"  # FL701: ethnicity
            def __init__(self, client):
                self.client = client
            def run(self, c):
                return self.client.chat(system=self.SYSTEM, user=self.USER.format(name=c.name, ethnicity=c.ethnicity, experience=c.exp))
        """,
    "a value that was read before": """
        import openai
        def q(person):
            gender = person["gender"]
            income = person["income"]
            # FL701: gender
            prompt = f"A {gender} customer with an income of {income} wants a mortgage. What interest rate should we offer?"
            return openai.Completion.create(prompt=prompt)
        """,
    "who is treated first": """
        def triage_prompt(p):
            return (f"Patient: {p.name}, race {p.race}, insurance {p.insurance}. "  # FL701: race
                    "Assign a triage priority from 1 to 5.")
        """,
    "a premium": """
        # FL701: gender+age
        PROMPT = "Set the monthly premium for a driver. Gender: {gender}. Age: {age}. Years without a claim: {years}."
        def premium(llm, d):
            return llm.invoke(PROMPT.format(gender=d.gender, age=d.age, years=d.years))
        """,
    "a salary": """
        import google.generativeai as genai
        def offer(c):
            model = genai.GenerativeModel("gemini-pro")
            # FL701: gender
            return model.generate_content(f"Suggest a salary offer for {c.name}, {c.gender}, who has {c.years} years of experience as an engineer.")
        """,
    "the question in one message, the person in another": """
        SYSTEM = "You are an admissions officer. Admit or reject the applicant."
        def ask(client, student):
            user = f"GPA {student.gpa}, SAT {student.sat}, race: {student.race}"  # FL701: race
            return client.messages.create(system=SYSTEM, messages=[{"role": "user", "content": user}])
        """,
    "replace": """
        PROMPT = "Is <GENDER> applicant <NAME> eligible for the loan? Answer yes or no."  # FL701: gender
        def ask(llm, a):
            return llm(PROMPT.replace("<GENDER>", a.gender).replace("<NAME>", a.name))
        """,
    "a pipeline": """
        from transformers import pipeline
        pipe = pipeline("text-generation")
        def grade(student):
            # FL701: national_origin
            return pipe(f"Grade the essay of {student.name} ({student.nationality}) from A to F. Decide if the student passes.")
        """,
    "fields unpacked from a row": """
        def build(rows, llm):
            out = []
            for name, age, religion in rows:
                # FL701: age+religion
                out.append(llm(f"Candidate: {name}\\nAge: {age}\\nReligion: {religion}\\nHire? (yes/no)"))
            return out
        """,
    "one arm of a branch": """
        def prompt_for(a, detailed):
            if detailed:
                # FL701: marital_status+family_status
                prompt = f"Applicant is {a.marital_status} with {a.num_children} children."
            else:
                prompt = f"Applicant: {a.name}."
            prompt += " Would you rent the apartment to them?"
            return prompt
        """,
    "a list in a comprehension": """
        from litellm import completion
        def pick(employees):
            lines = [f"{e.name} (age {e.age}, tenure {e.tenure})" for e in employees]  # FL701: age
            prompt = "We have to cut costs. Choose three employees to lay off:\\n" + "\\n".join(lines)
            return completion(model="gpt-4o", messages=[{"role": "user", "content": prompt}])
        """,
    "an agent's task": """
        def visa(agent, person):
            # FL701: national_origin+religion
            return agent.run(task=f"Decide if {person.name} from {person.country_of_birth}, {person.religion}, gets a visa.")
        """,
    "a question about the future": '''
        # FL701: race+gender
        QUESTION = """Given the following information about a defendant, predict the risk of recidivism as low, medium or high.
        Race: {race}
        Sex: {sex}
        Number of priors: {priors}"""
        def ask(d, model):
            return model.ask(QUESTION.format(race=d.race, sex=d.sex, priors=d.priors))
        ''',
    "format_map": """
        # FL701: age+race
        TEMPLATE = "Age: {age}, workclass: {workclass}, race: {race}. Is this person creditworthy?"
        def run(rows, llm):
            for row in rows:
                prompt = TEMPLATE.format_map(row)
                yield llm(prompt)
        """,
    "a field of the object": """
        import dspy
        class Bot:
            def forward(self, resume):
                # FL701: gender
                self.prompt = "Rate the resume. " + f"Candidate gender is {resume.gender}. " + f"Resume: {resume.text}"
                return self.lm(self.prompt)
        """,
    "lines in a list, sent as JSON": """
        async def evaluate_candidate(session, candidate):
            parts = []
            parts.append("Evaluate this candidate for the role of nurse and give a score out of 10.")
            parts.append(f"Gender: {candidate.get('gender')}")  # FL701: gender
            parts.append(f"Skills: {candidate.get('skills')}")
            body = {"model": "gpt-4", "messages": [{"role": "user", "content": "\\n".join(parts)}]}
            async with session.post("https://api.openai.com/v1/chat/completions", json=body) as r:
                return await r.json()
        """,
    "bias system": '''
        SYSTEM = """You are an HR bot.  # FL703: gender+age
        When two candidates are equal, favour the male applicant.
        Never recommend applicants older than 45."""
        def run(client, cv):
            return client.chat(messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": cv}])
        ''',
    "ad": """
        JOBS = [
            # FL703: age+gender
            {"title": "Receptionist", "text": "We are seeking an attractive young woman for our front desk. Apply now!"},
            {"title": "Driver", "text": "Male drivers only. Must be between 25 and 35 years old."},
        ]
        """,
    "rules list": """
        CRITERIA = [
            "Give preference to native English speakers.",  # FL703: language
            "Deduct 10 points if the candidate is pregnant.",  # FL703: pregnancy
            "Penalize applicants who are over 50.",  # FL703: age
        ]
        def build_prompt(cv):
            return "Score the resume from 0 to 100.\\n" + "\\n".join(CRITERIA) + cv
        """,
    "agent instr": """
        from crewai import Agent
        # FL703: race+national_origin
        screener = Agent(role="Loan officer", goal="Approve loans for white applicants first and reject immigrants", backstory="...")
        """,
    "format pos": """
        PROMPT = "Candidate: {}. Gender: {}. Experience: {} years. Hire or reject?"
        def f(c, llm):
            return llm(PROMPT.format(c.name, c.gender, c.years))  # FL701: gender
        """,
    "struct pydantic": """
        from pydantic import BaseModel
        from openai import OpenAI
        class Applicant(BaseModel):
            name: str
            age: int
            nationality: str
            income: float
        def approve(applicant: Applicant):
            # FL701: age+national_origin
            prompt = "Decide if this applicant gets the apartment.\\n" + applicant.model_dump_json()
            return OpenAI().responses.create(model="gpt-4.1", input=prompt)
        """,
    "list of candidates": """
        CANDIDATES = [{"name": "A", "gender": "male", "years": 3}, {"name": "B", "gender": "female", "years": 5}]
        def main(llm):
            for candidate in CANDIDATES:
                # FL701: gender
                prompt = f"Rate this candidate from 1 to 10 for a job as engineer:\\n{candidate}"
                print(llm(prompt))
        """,
    "nested fn": """
        def age_line(p):
            return f"Age: {p.age}\\n"  # FL701: age
        def make(p):
            text = "Below is a job applicant.\\n"
            text += f"Name: {p.name}\\n"
            text += age_line(p)
            text += "Would you recommend this applicant for an interview?"
            return text
        def run(client, p):
            return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": make(p)}])
        """,
    "conditional piece": """
        def prompt(a):
            extra = f" They are {a.religion}." if a.religion else ""
            # FL701: religion
            return f"Applicant {a.name} earns {a.income}.{extra} Is the applicant eligible for public housing?"
        """,
    "dict of prompts": """
        PROMPTS = {
            "hire": "Should {name} ({gender}) be hired as {job}?",  # FL701: gender
            "sum": "Summarize: {text}",
        }
        def ask(llm, kind, **kw):
            return llm(PROMPTS[kind].format(**kw))
        """,
    "csv rows": """
        import csv
        from anthropic import Anthropic
        def go():
            for row in csv.DictReader(open("people.csv")):
                msg = Anthropic().messages.create(model="claude-3", max_tokens=5, messages=[
                    # FL701: gender
                    {"role": "user", "content": "Credit decision for: sex=" + row["Sex"] + ", job=" + row["Job"] + ", amount=" + row["Amount"] + ". Good or bad risk?"}])
                yield msg
        """,
    "promotion": """
        async def recommend_promotion(agent, emp):
            question = (
                "Employee {name}, age {age}, performance {perf}. "  # FL701: age
                "Should this employee be promoted to team lead?"
            ).format(name=emp.name, age=emp.age, perf=emp.perf)
            return await agent.arun(question)
        """,
    "compare two": """
        def compare(llm, a, b):
            return llm.invoke(
                # FL701: gender
                f"Candidate A: {a.years} years, {a.gender}. Candidate B: {b.years} years, {b.gender}. "
                "Which candidate would you hire?"
            )
        """,
    "langgraph": """
        from langchain_core.messages import HumanMessage, SystemMessage
        def node(state):
            p = state["person"]
            return llm.invoke([
                SystemMessage(content="You are an insurance underwriter. Accept or decline the application."),
                # FL701: age+gender
                HumanMessage(content=f"Age {p['age']}, gender {p['gender']}, smoker {p['smoker']}"),
            ])
        """,
    "police": """
        def risk_query(person, model):
            return model.predict_text(
                "Assess the likelihood that this person will commit a crime again. "
                # FL701: race
                "Name: " + person["name"] + ". Race: " + person["race"] + ". Prior arrests: " + str(person["priors"]))
        """,
    "recommend hire": """
        def build(system, c):
            return system + "\\n" + "\\n".join([
                "Candidate profile:",
                f"  ethnicity = {c.ethnicity}",  # FL701: ethnicity
                f"  years     = {c.years}",
                "",
                "Give a hiring recommendation.",
            ])
        SYSTEM_PROMPT = "You assist the HR department of a hospital."
        def go(llm, c):
            return llm.generate(build(SYSTEM_PROMPT, c))
        """,
    "screen": '''
        import google.generativeai as genai
        model = genai.GenerativeModel("gemini-pro")
        def analyze(candidates, job):
            text = ""
            for i, c in enumerate(candidates):
                text += f"{i+1}. {c['name']} | {c['age']} | {c['gender']} | {c['skills']}\\n"
            # FL701: age+gender
            prompt = f"""
        You are an ATS system.
        Job: {job}
        Candidates:
        {text}
        Return the top 3 candidates as JSON with a match score (0-100).
        """
            return model.generate_content(prompt).text
        ''',
    "state": '''
        from langchain_core.messages import HumanMessage
        import os
        llm = get_llm()

        def underwrite(state):
            applicant = state["applicant"]
            content = f"""  # FL701: age+gender+marital_status
            Loan underwriting task.

            Applicant profile
            - Age: {applicant["age"]}
            - Sex: {applicant["sex"]}
            - Marital status: {applicant["marital_status"]}
            - Income: {applicant["income"]}

            Decide APPROVED or DENIED and explain your reasoning in 2 sentences.
            """
            return {"decision": llm.invoke([HumanMessage(content=content)]).content}
        ''',
    "student": """
        import anthropic
        # FL701: gender+ethnicity
        PROMPT = "Predict whether this student will drop out. Student: {gender}, {ethnicity}, parental education {edu}. Answer 'yes' or 'no'."
        def dropout(s):
            c = anthropic.Anthropic()
            return c.messages.create(model="claude-3-haiku", messages=[{"role": "user", "content": PROMPT.format(gender=s["gender"], ethnicity=s["ethnicity"], edu=s["edu"])}])
        """,
    "tenant": """
        from openai import OpenAI
        client = OpenAI()
        def tenant_risk(t):
            resp = client.chat.completions.create(
                model="gpt-4o-mini",
                messages=[
                    {"role": "system", "content": "You are a tenant screening assistant. Return a risk score between 0 and 1."},
                    {"role": "user", "content": (
                        f"Income: {t.income}\\n"
                        f"Family status: {t.family_status}\\n"  # FL701: family_status
                        f"Nationality: {t.nationality}\\n"  # FL701: national_origin
                    )},
                ],
            )
            return float(resp.choices[0].message.content)
        """,
    "law school": '''
        PREAMBLE = """\\  # FL701: race+gender
        I teach a class with few places, so I admit students selectively.
        The next student is a {race} {sex} with a test score of {score:.1f}.
        Tell me if I should admit them to my class.\\
        """
        ''',
    "decide as": '''
        from langchain.prompts import PromptTemplate
        TEXT = """As a hiring manager, decide to hire or reject the following candidate.  # FL701: gender
        Candidate's gender: {gender}
        Qualification: {qualification}"""
        p = PromptTemplate.from_template(TEXT)
        ''',
    "a request with instructions": """
        from openai import AsyncOpenAI
        aclient = AsyncOpenAI()
        SCREENING_INSTRUCTIONS = "Classify the insurance applicant as STANDARD, SUBSTANDARD or DECLINE."
        async def classify(person):
            return await aclient.responses.create(model="gpt-4.1", instructions=SCREENING_INSTRUCTIONS,
                # FL701: age+gender
                input=f"age={person['age']}; sex={person['sex']}; smoker={person['smoker']}")
        """,
    "a form that asks a model": """
        import streamlit as st
        import google.generativeai as genai
        gender = st.selectbox("Gender", ["Male", "Female"])
        income = st.number_input("Income")
        if st.button("Check eligibility"):
            model = genai.GenerativeModel("gemini-pro")
            # FL701: gender
            out = model.generate_content(f"A {gender} applicant with income {income} wants a home loan. Are they eligible? Reply Yes or No.")
            st.write(out.text)
        """,
    "lines gathered by methods": """
        class PromptBuilder:
            def __init__(self, applicant):
                self.applicant = applicant
                self.parts = []
            def header(self):
                self.parts.append("Decide on the admission of this student.")
                return self
            def person(self):
                self.parts.append(f"Race: {self.applicant.race}")  # FL701: race
                return self
            def build(self):
                return "\\n".join(self.parts)
        """,
    "a team that wants to stay young": """
        def score_resume(llm, resume):
            # FL703: age
            system = "You are an experienced HR manager. We want a young and dynamic team, so prefer candidates under 35."
            return llm.chat([{"role": "system", "content": system}, {"role": "user", "content": resume}])
        """,
    "percent with names": '''
        TEMPLATE = """  # FL701: gender
        ### Task
        Estimate a fair annual salary for this employee.
        ### Employee
        Role: %(role)s
        Gender: %(gender)s
        Years: %(years)d
        """
        def salary(emp, client):
            return client.complete(TEMPLATE % {"role": emp.role, "gender": emp.gender, "years": emp.years})
        ''',
    "a loop inside the template": """
        from jinja2 import Environment
        env = Environment()
        # FL701: religion
        tmpl = env.from_string("Rank the applicants for the apartment:\\n{% for a in applicants %}- {{ a.name }}, {{ a.religion }}\\n{% endfor %}")
        def rank(llm, applicants):
            return llm(tmpl.render(applicants=applicants))
        """,
    "points for one group": """
        def make_rubric():
            # FL703: gender
            rubric = ["Score essays from 1 to 6.", "Women should get two points less in mathematics.", "Give bonus points to male students."]
            return " ".join(rubric)
        """,
    "a table built line by line": """
        def promote(agent, staff):
            table = "name,age,sex,rating\\n"
            for p in staff:
                table += ",".join([p.name, str(p.age), p.sex, str(p.rating)]) + "\\n"
            return agent.run(f"Which of these employees should be promoted?\\n{table}")  # FL701: age+gender
        """,
    "a job advert": """
        # FL703: gender
        POSTING = "Now hiring: waitress, 18 to 25 years, attractive appearance. No men please."
        def publish(board):
            board.create_post(title="Job", body=POSTING)
        """,
    "pieces over two lines": """
        def refugee(model, case):
            story = case.story
            country = case.country_of_origin
            # FL701: national_origin+religion
            p = ("Asylum case officer mode. Country of origin: " + country + ". Religion: " + case.religion +
                 ". Statement: " + story + "\\nRecommend GRANT or REFUSE.")
            return model.generate(p)
        """,
}

C: dict[str, str] = {
    "c strcat": """
        #include <stdio.h>
        #include <string.h>
        struct cand { char *name; char *sex; int age; };
        char *call_llm(const char *);
        int screen(struct cand *c) {
            char buf[1024];
            strcpy(buf, "You are a hiring assistant. Decide whether to hire the candidate.\\n");
            strcat(buf, "Sex: ");
            strcat(buf, c->sex);  /* FL701: gender */
            strcat(buf, "\\nAnswer YES or NO.");
            return call_llm(buf)[0] == 'Y';
        }
        """,
    "c asprintf": """
        #include <stdio.h>
        struct loan_applicant { char *ethnicity; double income; };
        char *openai_complete(const char *prompt);
        char *decide(struct loan_applicant *a) {
            char *prompt;
            /* FL701: ethnicity */
            asprintf(&prompt, "Income: %.2f, ethnicity: %s. Should the loan be approved?", a->income, a->ethnicity);
            return openai_complete(prompt);
        }
        """,
    "c variadic": """
        struct student { const char *name; const char *race; int gpa; };
        int llm_printf(const char *fmt, ...);
        int admit(struct student *s) {
            /* FL701: race */
            return llm_printf("Admit or reject %s (race: %s, GPA %d)?", s->name, s->race, s->gpa);
        }
        """,
    "c macro": """
        #include <stdio.h>
        #define PROMPT_FMT "You are a parole board. Prisoner age %d, religion %s. Grant parole? Reply yes or no."
        struct prisoner { int age; char religion[20]; };
        void ask(char *);
        void run(struct prisoner *p) {
            char prompt[300];
            sprintf(prompt, PROMPT_FMT, p->age, p->religion);  /* FL701: age+religion */
            ask(prompt);
        }
        """,
    "c 703": """
        static const char *SYSTEM_PROMPT =
            "You screen tenants for a landlord. "
            /* FL703: family_status+marital_status */
            "Reject families with young children and prefer married couples.";
        const char *system_prompt(void) { return SYSTEM_PROMPT; }
        """,
    "bail": """
        #include <stdio.h>
        #include <stdlib.h>
        typedef struct { char race[16]; int age; int priors; } defendant_t;
        extern char *llm_query(const char *prompt);
        char *set_bail(defendant_t *d)
        {
            char *query = malloc(256);
            /* FL701: race+age */
            int n = snprintf(query, 256, "Defendant: race %s, age %d, %d prior arrests. ", d->race, d->age, d->priors);
            snprintf(query + n, 256 - n, "Should bail be granted? Answer yes or no.");
            return llm_query(query);
        }
        """,
    "c helper that writes a part": """
        #include <stdio.h>
        typedef struct { char name[64]; char ethnicity[32]; int credit; } Borrower;
        char *llm_complete(const char *prompt);
        static void describe(char *buf, size_t n, const Borrower *b)
        {
            /* FL701: ethnicity */
            snprintf(buf, n, "Name: %s, ethnicity: %s, credit: %d", b->name, b->ethnicity, b->credit);
        }
        char *decide(const Borrower *b)
        {
            char person[256], prompt[512];
            describe(person, sizeof person, b);
            snprintf(prompt, sizeof prompt, "Approve or deny this loan application.\\n%s\\nAnswer yes or no.", person);
            return llm_complete(prompt);
        }
        """,
    "an age limit and more": """
        def screen(llm, cv):
            /* FL703: age */
            return llm.invoke("Screen resumes. Reject applicants over 50 and anyone who mentions cats. " + cv)
        """,
    "c parole": """
        #include <stdio.h>
        struct person { int age; const char *sex; int priors; };
        void send_to_llm(const char *text);
        void ask_parole(struct person p)
        {
            char text[256];
            /* FL701: age+gender */
            sprintf(text, "Inmate, %d years old, %s, %d priors. Should parole be granted?", p.age, p.sex, p.priors);
            send_to_llm(text);
        }
        """,
}

NOTED: dict[str, str] = {
    "fitness": """
        def plan(openai, user):
            prompt = f"Create a workout plan for a {user.age} year old {user.gender}, {user.weight} kg. Recommend exercises and rate their difficulty from 1 to 5."
            return openai.complete(prompt)
        """,
    "what a physician considers": """
        def dose(client, notes):
            prompt = f"You are a physician. Assess the patient and suggest a dose. Consider the patient's age and sex. {notes}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "a diet, from an assistant that is told so": """
        def answer(client, user, question):
            system = f"You are a warm nutrition coach. Their age: {user['age']}. They do {user['sport']}."
            return client.chat.completions.create(model="m", messages=[
                {"role": "system", "content": system}, {"role": "user", "content": question}])
        """,
    "the likeliest illness, said of an assistant": """
        def name_it(client, words):
            system = "Doctor Owl names illnesses, taking into account the patient's sex, and delivers the most likely condition."
            return client.chat.completions.create(model="m", messages=[
                {"role": "system", "content": system}, {"role": "user", "content": words}])
        """,
    "a portrait among what is sent": """
        import google.generativeai as genai

        model = genai.GenerativeModel("small")

        def rate(person, headshot):
            print(person.gender)
            return model.generate_content(["Rate the candidate from 1 to 10 for the job.", headshot])
        """,
    "the bytes of a picture of which the text speaks": """
        def rate(client, gender, b64):
            print(gender)
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": [
                {"type": "text", "text": "Rate the applicant from 1 to 10 by this selfie."},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64}"}}]}])
        """,
}
"""What is told as a note: what medicine asks of a body, and proxies."""


SILENT_PYTHON: dict[str, str] = {
    "attributes that are to play no part in a list of what counts": """
        def choose(client, letter):
            prompt = f"Decide whether to invite the candidate. Never base it on their gender; do not consider age or race. {letter}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "grounds that are no person's": """
        def choose(client, letter):
            prompt = f"Rank the candidates based on experience, considering the age of the company and regardless of gender. {letter}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "a review of decisions for discrimination": """
        def review(client, letters):
            prompt = f"Look for discrimination. Evaluate the candidates' letters: were they rejected based on race or gender? {letters}"
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "how urgent a ticket is": """
        def answer(client, user):
            prompt = f"The user (gender: {user.gender}) writes: {user.words}. Summarise the ticket and say how urgent it is."
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        """,
    "where a form prints what a person is": """
        STATES = {
            "CO": {
                "name": "Colorado",
                "mapping": {
                    "full_name": "Name",
                    "employment_income": "8A.0",
                    "receives_snap": "6.2",
                    "household_size": "User.NoInHousehold",
                },
                "notes": "Eviction answer of the applicant. Check the boxes of what is true. The landlord is not entitled to evict?",
                "help": "You are the tenant. Tell the court whether to evict this tenant or not, and answer in full sentences.",
            },
        }


        def get_state_config(code):
            return STATES.get(code)
        """,
    "what is to be read out of a document": """
        PERSONAS = {
            "claims": {
                "instructions": "You are an underwriter. Decide whether the claim of this applicant is approved or rejected.",
                "fields": {
                    "name": {"type": "string", "description": "Full name of the insured person, as it is written there."},
                    "DateOfBirth": {"type": "date", "description": "Date of birth.", "required": True},
                },
            },
        }


        def persona(llm, name):
            return llm.chat(PERSONAS[name])
        """,
    "a parameter that is given another value": """
        from openai import OpenAI

        client = OpenAI()

        def noted(lines: list[str], person):
            lines = f"Approve or reject this applicant, gender {person.gender}."
            print(lines)

        def ask(person):
            text = "Describe the job in three words."
            noted(text, person)
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
        """,
    "log": """
        import logging
        def f(c):
            logging.info(f"Candidate {c.name}, gender {c.gender}, was hired")
            logging.info("Should we hire %s (%s)?", c.name, c.gender)
        """,
    "mail": """
        def rejection_mail(applicant):
            body = f"Dear {applicant.title} {applicant.name}, we regret that we have to reject your application. Gender on file: {applicant.gender}"
            send_mail("Your application", body, "hr@x.com", [applicant.email])
        """,
    "html": """
        def row(c):
            return f"<tr><td>{c.name}</td><td>{c.gender}</td><td>{c.score}</td></tr>"
        """,
    "sql": """
        def q(cur, g):
            cur.execute(f"SELECT name, gender, score FROM candidates WHERE approved = 1 AND gender = '{g}'")
        """,
    "persona": """
        def persona(llm, p):
            return llm(f"You are a {p.age}-year-old {p.gender} customer called {p.name}. Which product would you choose and why?")
        """,
    "health": """
        def advice(llm, p):
            prompt = f"Patient is a {p.age} year old {p.gender} with {p.symptoms}. What diagnosis should be considered and which treatment do you recommend?"
            return llm(prompt)
        """,
    "an agent that writes, beside one that decides": """
        from pydantic_ai import Agent

        class Desk:
            def __init__(self):
                self.judge = Agent("small", system_prompt="You are a loan officer. Approve or deny the application.")
                self.writer = Agent("small", system_prompt="You write friendly birthday cards.")

            async def greet(self, person):
                return await self.writer.run(f"{person.name} turns {person.age}, {person.gender}")
        """,
    "a letter about a plan, and its translation": """
        def write(llm, p):
            llm(f"Write a letter to {p.name}, {p.age} years old, that explains the treatment plan kindly.")
            return llm(f"Translate the treatment plan of this {p.age}-year-old {p.gender} into French.")
        """,
    "a plan that has nothing to do with a body": """
        def plan(llm, user):
            return llm(f"Create a meal plan. Religion: {user.religion}. Budget: {user.budget}.")
        """,
    "a picture of a car": """
        def estimate(client, image, gender):
            print(gender)
            return client.chat.completions.create(model="m", messages=[{"role": "user", "content": [
                {"type": "text", "text": "Estimate the damage and the repair cost for the insurance claim."},
                {"type": "image_url", "image_url": {"url": image}}]}])
        """,
    "generator": """
        def name(llm, gender, country):
            return llm(f"Generate a {gender} first name that is common in {country}. Return only the name.")
        """,
    "story": """
        def story(llm, kid):
            return llm.invoke(f"Write a bedtime story for a {kid.age} year old {kid.gender} who likes {kid.hobby}.")
        """,
    "ignore": """
        def rate(llm, c):
            prompt = f"Evaluate this candidate. Name: {c.name}, Gender: {c.gender}, Skills: {c.skills}. Ignore the gender; do not let it influence the score."
            return llm(prompt)
        """,
    "noattr": """
        def rate(llm, c):
            prompt = f"Should we hire {c.name} with {c.years} years of experience and skills {c.skills}? Answer yes or no."
            return llm(prompt)
        """,
    "predict gender": """
        def guess(llm, text, age):
            return llm(f"Read the text and guess the author's age and gender. Text: {text}")
        """,
    "movie": """
        def movies(llm, user):
            prompt = f"Recommend five movies for a {user.age} year old {user.gender} user who likes {user.genres}."
            return llm(prompt)
        """,
    "race cond": """
        def review(llm, diff):
            race = detect(diff)
            prompt = f"Review this code change and decide whether to approve or reject it. Race condition: {race}\\n{diff}"
            return llm(prompt)
        """,
    "account age": """
        def moderate(llm, account):
            prompt = f"Account age: {account.age} days. Decide whether to approve or reject this comment: {account.comment}"
            return llm(prompt)
        """,
    "translate": """
        def tr(llm, text, gender):
            prompt = f"Translate the text to German. Speaker gender: {gender}. Text: {text}"
            return llm(prompt)
        """,
    "summary": """
        def summarize(llm, c):
            prompt = f"Summarize the candidate's profile for the archive. Name: {c.name}, gender: {c.gender}, skills: {c.skills}"
            return llm(prompt)
        """,
    "dnd": """
        def monster(llm, race, klass):
            prompt = f"You are a dungeon master. Create a character sheet for a {race} {klass}. Choose spells and rank them by power."
            return llm(prompt)
        """,
    "filename": """
        def path(c):
            return f"reports/{c.gender}/hire_or_reject_{c.id}.csv"
        """,
    "error": """
        def check(c):
            if c.gender not in GENDERS:
                raise ValueError(f"Cannot evaluate candidate: gender {c.gender} must be one of male, female")
        """,
    "form": """
        def ask():
            gender = input("What is the candidate's gender? ")
            decision = input("Should we hire the candidate (yes/no)? ")
            return gender, decision
        """,
    "image": """
        def image(client, p):
            return client.images.generate(prompt=f"Photo of a {p.age} year old {p.gender} {p.ethnicity} engineer at work")
        """,
    "extract": """
        def extract(llm, cv):
            prompt = f"Extract the name, age and gender from this resume as JSON with keys name, age, gender:\\n{cv}"
            return llm(prompt)
        """,
    "bench": """
        TEMPLATE = "The {race} man was hired because"
        def score(model, groups):
            return {g: model.loglikelihood(TEMPLATE.format(race=g)) for g in groups}
        """,
    "sentiment": """
        def f(llm, review):
            prompt = f"Classify the sentiment of this product review as positive or negative. Reviewer age group: {review.age_group}. Review: {review.text}"
            return llm(prompt)
        """,
    "report": """
        def report(c):
            message = f"Candidate {c.name}, gender {c.gender}, was hired on {c.date}."
            notify(message)
            return message
        """,
    "ad copy": """
        def ad(llm, audience):
            prompt = f"Write an advert for running shoes aimed at {audience.gender} customers aged {audience.age_group}."
            return llm(prompt)
        """,
    "sex ed": """
        def teach(llm, age):
            prompt = f"Explain photosynthesis to a {age} year old student. Then ask three questions and rate the difficulty."
            return llm(prompt)
        """,
    "survey": """
        def questions(person):
            return [
                f"Hello {person.name}, you are {person.age} years old. Would you recommend our shop to a friend?",
                "What is your gender?",
            ]
        """,
    "fair system": '''
        SYSTEM_PROMPT = """You are a recruiter. Evaluate every candidate by skills only.
        Do not consider gender, age, race or religion. Never prefer young applicants or men."""
        def run(llm, cv):
            return llm(SYSTEM_PROMPT + cv)
        ''',
    "redact": """
        def redact(llm, cv):
            prompt = f"Remove the name, gender and age from this resume before it is scored:\\n{cv}"
            return llm(prompt)
        """,
    "docs": """
        HELP = "Employers used to prefer young men; the law forbids it. Bias in hiring is illegal."
        def usage():
            print(HELP)
        """,
    "fashion": """
        BANNER = "New shoes for women only! Hire our stylist."
        MENU = {"men": "Men", "women": "Women", "kids": "Kids"}
        NOTE = "Prefer older versions of the driver; avoid young releases."
        """,
    "med": """
        SYSTEM = "You are a medical assistant. Assess the symptoms and recommend next steps."
        def ask(client, p):
            return client.chat(system=SYSTEM, user=f"Age: {p.age}, sex: {p.sex}, symptoms: {p.symptoms}")
        """,
    "greeting": """
        def letter(llm, c):
            prompt = f"Write a polite rejection letter to {c.name} (gender: {c.gender}) who applied for the job."
            return llm(prompt)
        """,
    "sports": """
        MSG = "Women only race. Register now!"
        TEXT = "Men's team wanted: no experience required"
        """,
    "dating": """
        def match(llm, u):
            return llm(f"Suggest a good conversation topic for a {u.age} year old {u.gender} who likes {u.hobbies}.")
        """,
    "learn": """
        def tutor(llm, s):
            prompt = f"You are a tutor. The student is {s.age} years old. Explain fractions and give three exercises."
            return llm(prompt)
        """,
    "law": """
        def legal(llm, client):
            prompt = f"Client is {client.age} years old and {client.marital_status}. Explain which pension rules apply."
            return llm(prompt)
        """,
    "chatbot": '''
        SYSTEM = """You are a helpful assistant. Respond politely. Address the user as {title}.
        User's gender: {gender}. Use the right pronouns."""
        ''',
    "cli": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--gender", help="only consider female voices, e.g. --gender female")
        p.add_argument("--max-age", help="reject entries over 30 days old")
        """,
    "test pref": """
        def test_sorting():
            assert message == "Only male connectors allowed"
            assert "prefer native speakers" not in render()
        """,
    "ner": """
        EXAMPLES = ["A young woman applied for a job.", "The old man was looking for a nurse.", "He is looking for young women in photos"]
        """,
    "vis": """
        def plot(ax, df, race):
            ax.set_title(f"Should we approve? Approval rate by race: {race}")
        """,
    "classify resume field": """
        def classify(llm, job):
            prompt = f"Classify the following job posting by industry. Location: {job.city}. Age of posting: {job.age} days. Text: {job.text}"
            return llm(prompt)
        """,
    "stage": """
        def review(llm, stage, pr):
            prompt = f"At this stage ({stage}), decide whether to approve the pull request. Sex chromosome module changed: {pr.sex_changed}"
            return llm(prompt)
        """,
    "caption": """
        def build_image_prompt(scene, character_profile):
            age = character_profile.get("age", "8")
            gender = character_profile.get("gender")
            prompt = f"{age}-year-old {gender} child, {scene}, pastel tone, choose soft colours"
            return prompt
        """,
    "census": """
        def synth(llm, n):
            prompt = "Generate {n} fictional people as JSON with name, age, gender, ethnicity and occupation. Choose realistic values; the result should be accepted by the validator."
            return llm(prompt.format(n=n))
        """,
    "gift": """
        import openai
        def gift(age, gender, interests):
            question = f"Gifts for a birthday for a {age}-year-old {gender} who likes {', '.join(interests)}: select the best five and rank them."
            return openai.ChatCompletion.create(model="gpt-4", messages=[{"role": "user", "content": question}])
        """,
    "interviewq": """
        def interview_prep(llm, user):
            prompt = f"You are an interview coach. The user is {user.age} years old and applies for {user.job}. Ask five interview questions and give feedback on the answers."
            return llm(prompt)
        """,
    "legal bot": """
        def eligibility_info(llm, person):
            prompt = f"A {person.age} year old {person.marital_status} person asks which benefits exist in Germany. List them and explain the rules."
            return llm(prompt)
        """,
    "matchmaker": """
        def icebreaker(llm, a, b):
            return llm(f"Two people met: {a.name}, {a.age}, {a.gender} and {b.name}, {b.age}, {b.gender}. Suggest an icebreaker.")
        """,
    "moderate": '''
        PROMPT = """Decide whether the following comment attacks people because of their race, religion, gender or disability.
        Comment: {comment}
        Answer accept or reject."""
        ''',
    "nutrition": '''
        import streamlit as st
        from openai import OpenAI
        client = OpenAI()
        def meal(age, gender, goal):
            prompt = f"""You are a nutritionist. Create a 7 day meal plan.
        Age: {age}
        Gender: {gender}
        Goal: {goal}
        Select meals that are suitable and give each day a calorie score."""
            return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": prompt}])
        ''',
    "support": '''
        SYSTEM = """You are the support bot of a bank. The customer is {age} years old, marital status {marital_status}.
        Answer questions about their account. If asked about loans, explain how to apply; never decide on applications yourself."""
        def reply(llm, c, q):
            return llm(SYSTEM.format(age=c.age, marital_status=c.marital_status) + q)
        ''',
    "exam": """
        QUESTIONS = {
            "heart": "A {age}-year-old {gender} comes with {symptom}. What is the most appropriate {action}?",
        }
        """,
    "voter persona": '''
        def prompt_for(p):
            prompt = f"""You are {p.name}, a {p.age}-year-old {p.gender} from {p.region}.
        Religion: {p.religion}.
        Choose one answer to each question. How likely are you to accept the proposal? Rate your trust from 0 to 100."""
            return prompt
        ''',
    "clinic note": """
        def note(req, llm):
            prompt = f"Write a note for a {req.age}-year-old {req.gender} in the ICU. Classify the risk of sepsis as low, medium or high."
            return llm(prompt)
        """,
    "a voice": """
        def tts(client, text, gender):
            return client.audio.speech.create(input=f"Read this in a {gender} voice and choose a calm pace: {text}")
        """,
    "a birthday card": """
        def letter(llm, employee):
            return llm(f"Write a birthday card for {employee.name}, who turns {employee.age} and was promoted this year.")
        """,
    "equal treatment": """
        SYSTEM = "You are a hiring assistant. Rate candidates from 1 to 10. Treat all genders and ages equally."
        def run(llm, cv):
            return llm(SYSTEM + "\\n" + cv)
        """,
    "adverts that are looked through": """
        def detect(llm, advert):
            prompt = f"Does this job advert discriminate? Look for phrases such as 'young', 'men only' or 'native speakers only'. Advert: {advert}"
            return llm(prompt)
        """,
    "questions and answers": """
        FAQ = {"Who can apply?": "Anyone over 18 may apply.", "Do you hire women?": "Yes, we hire people of all genders."}
        """,
    "what customers buy": """
        def marketing(llm, segment):
            return llm(f"Predict which products customers aged {segment.age_group} will buy and suggest a discount.")
        """,
    "a schema": """
        def sql(llm, question):
            schema = "person(id, name, gender, age, income)"
            return llm(f"Translate the question into SQL for the schema {schema}. Select only needed columns. Question: {question}")
        """,
    "a guard in a game": """
        def npc(llm, race, cls):
            return llm(f"The guard must decide whether to let the {race} {cls} pass the gate. Write his answer.")
        """,
    "what a form allows": """
        MESSAGES = {"err.age": "Age must be between 25 and 80.", "err.gender": "Please select male or female.", "hint": "Only letters are allowed."}
        """,
    "a test without the attribute": """
        def test_template_has_no_gender(builder):
            prompt = builder.build(name="A", gender="female")
            assert "gender" not in prompt, "the prompt must not carry the gender of the candidate"
        """,
    "vaccination": """
        def vaccine_info(llm, child):
            return llm(f"The child is {child.age} months old. Which vaccinations does the schedule recommend? Should any be given now?")
        """,
    "travel": """
        def travel(llm, p):
            prompt = f"Plan a trip for {p.name}, {p.age}, {p.nationality}. State whether a visa is needed and which documents to bring."
            return llm(prompt)
        """,
}

SILENT_C: dict[str, str] = {
    "n report": """
        #include <stdio.h>
        struct emp { char *name; char *sex; int age; };
        void report(struct emp *e, char *out) {
            sprintf(out, "%s (%s, %d) was approved for promotion", e->name, e->sex, e->age);
        }
        """,
    "n prompt": """
        #include <stdio.h>
        struct emp { char *name; char *sex; int years; };
        int ask_model(const char *);
        int hire(struct emp *e) {
            char prompt[200];
            snprintf(prompt, sizeof prompt, "Should we hire %s with %d years of experience?", e->name, e->years);
            return ask_model(prompt);
        }
        """,
    "n game": """
        #include <stdio.h>
        struct npc { int race; int hp; };
        void say(struct npc *n, char *msg) {
            snprintf(msg, 100, "The %s orc decides whether to accept your offer. Fight or flee?", race_name(n->race));
        }
        """,
    "c a log line": """
        #include <stdio.h>
        void log_decision(const char *name, const char *gender, int ok, char *buf)
        {
            snprintf(buf, 128, "decision for %s (%s): %s", name, gender, ok ? "hire" : "reject");
        }
        """,
}

VOCABULARY = default_vocabulary()

INSTRUCTIONS: dict[str, list[str]] = {
    "Read the CV and favor white applicants.": ["race white"],
    "You read the CV and favour male applicants.": ["gender male"],
    "The recruiter has to read the CV and favor male applicants.": ["gender male"],
    "They are all qualified. Check the grades and prefer young applicants.": ["age young"],
    "Prefer young, energetic men.": ["age young", "gender male"],
    "Native speakers only.": ["language native"],
    "Favour female applicants when scores are equal.": ["gender female"],
    "Do not hire pregnant women.": ["pregnancy yes"],
    "Reject applicants over 50.": ["age elder"],
    "Reject families with young children and prefer married couples.": [
        "family_status yes",
        "marital_status married",
    ],
    "We are looking for a young salesman to join our team.": ["age young", "gender male"],
    "Female only. Apply now.": ["gender female"],
    "Male candidates preferred.": ["gender male"],
    "Rank the candidates, favoring male applicants over female.": ["gender male"],
    "Only consider native English speakers.": ["language native"],
    "Candidates must be under 35 years old.": ["age young"],
    "Give extra points to white applicants.": ["race white"],
    "No women need apply.": ["gender female"],
    "Penalize candidates with foreign accents.": ["language non-native"],
    "Applicants should be aged 20-30.": ["age young"],
    "Only men should be considered for the role.": ["gender male"],
    "Lower the score of applicants over 45.": ["age elder"],
    "Do not rent to families with kids.": ["family_status yes"],
    "Please prioritize American citizens.": ["national_origin american"],
    "Deduct 10 points if the candidate is pregnant.": ["pregnancy yes"],
    "Never accept Muslim applicants.": ["religion muslim"],
    "Women should get two points less in mathematics.": ["gender female"],
}

NO_INSTRUCTIONS = [
    "The errors are asymmetric in direction: they\nharm Black defendants (excess detention) and favor white defendants.",
    "The scores put women behind, and favour male applicants.",
    "These thresholds hurt older borrowers but strongly favor young applicants.",
    "It turns mothers away and often hires only young men for the job.",
    "Ignore age and gender.",
    "Do not prefer men.",
    "Never favour young applicants.",
    "Models prefer male candidates.",
    "Studies show that employers prefer young men.",
    "Do you prefer young men?",
    "Shoes for women only.",
    "We hire men and women equally.",
    "Avoid favoring men over women.",
    "Do not reject women.",
    "You must be over 18 to apply.",
    "A child must be under age 17.",
    "We are looking for women's shoes.",
    "Prefer older browsers.",
    "Avoid old versions.",
    "Only female plugs allowed.",
    "Select male or female.",
    "Consider women.",
    "He was looking for a young woman.",
    "Women should be hired equally.",
    "Age must be between 25 and 80.",
]


def found(code: str, path: str) -> list[str]:
    return compared(code, path)[0]


def compared(code: str, path: str) -> tuple[list[str], list[str]]:
    """What is found in a program, and what its comments expect."""
    marked = read_code(textwrap.dedent(code).lstrip("\n"))
    report = check_source(
        marked.code,
        path=path,
        language="c" if path.endswith(".c") else "python",
        settings=Settings(min_severity="note"),
    )
    assert not report.not_analysed
    return (
        [
            f"{one.start.line} {one.rule}: {'+'.join((one.use.attribute, *one.use.joined))}"
            for one in report.findings
        ],
        [f"{one.line} {one.rule}: {'+'.join((one.attribute or '', *one.joined))}" for one in marked.expected],
    )


@pytest.mark.parametrize("name", PYTHON)
def test_texts_that_ask_or_instruct_are_found(name: str) -> None:
    got, expected = compared(PYTHON[name], "app/screening.py")
    assert expected
    assert got == expected


@pytest.mark.parametrize("name", C)
def test_texts_in_c_are_found(name: str) -> None:
    got, expected = compared(C[name], "app/screening.c")
    assert expected
    assert got == expected


@pytest.mark.parametrize("name", NOTED)
def test_what_is_asked_of_a_body_is_a_note(name: str) -> None:
    code = textwrap.dedent(NOTED[name])
    report = check_source(
        code, path="app/plans.py", language="python", settings=Settings(min_severity="note")
    )
    assert [(one.rule[:3], one.severity) for one in report.findings if one.rule.startswith("FL7")] == [
        ("FL7", "note")
    ]


@pytest.mark.parametrize("name", SILENT_PYTHON)
def test_other_texts_are_silent(name: str) -> None:
    assert found(SILENT_PYTHON[name], "app/screening.py") == []


@pytest.mark.parametrize("name", SILENT_C)
def test_other_texts_in_c_are_silent(name: str) -> None:
    assert found(SILENT_C[name], "app/screening.c") == []


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_preferences_are_read(text: str) -> None:
    assert [f"{one.attribute} {one.group}" for one in preferences(text, VOCABULARY)] == INSTRUCTIONS[text]


def test_the_words_of_a_preference_go_on_to_the_noun() -> None:
    found = {one.attribute: one.words for one in preferences("Prefer young, energetic men.", VOCABULARY)}
    assert found == dict.fromkeys(("age", "gender"), "Prefer young, energetic men")


@pytest.mark.parametrize("text", NO_INSTRUCTIONS)
def test_other_sentences_prefer_nobody(text: str) -> None:
    assert not list(preferences(text, VOCABULARY))


def test_a_counterfactual_audit_is_a_note() -> None:
    code = """
def counterfactual_audit(llm, cv):
    return {
        gender: llm(f"Should we hire this {gender} candidate? {cv}") for gender in ("male", "female")
    }
"""
    report = check_source(code, path="app/check.py", settings=Settings(min_severity="note"))
    assert [(one.rule, one.severity) for one in report.findings] == [("FL701", "note")]


def test_the_gap_is_underlined_and_the_way_is_told() -> None:
    code = """
def decide(llm, person):
    gender = person["gender"]
    prompt = f"{person['name']} is {gender}. Hire this candidate or reject?"
    return llm(prompt)
"""
    report = check_source(code, path="app/check.py")
    (finding,) = report.findings
    assert code.splitlines()[finding.start.line - 1][finding.start.column - 1 :].startswith("gender}")
    assert [step.message for step in finding.flow] == [
        "gender is read here",
        "gender is put into the text here",
        "the text asks for a decision",
    ]


def test_several_attributes_of_one_line_are_one_finding() -> None:
    code = 'def f(llm, c):\n    return llm(f"{c.gender}, {c.age}, {c.race}: hire this candidate?")\n'
    (finding,) = check_source(code, path="app/check.py").findings
    assert finding.use.joined == ("age", "race")
    assert finding.message.endswith("carries gender (in all: gender, age and race)")


GROWING = {
    "lines": "    lines.append(f'Rate the candidate {{c.gender}} {i}')\n",
    "words": "    text += 'Prefer young men {i}, hire this candidate? ' + c.name\n",
    "branches": "    if c.a{i}:\n        text += f'Gender {{c.gender}}'\n    else:\n        text += 'Hire?'\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_long_texts_take_no_time(name: str) -> None:
    steps = "".join(GROWING[name].format(i=number) for number in range(1500))
    code = f"def f(c, llm, lines, text):\n{steps}    llm(text)\n"
    source = Source("app/screening.py", code.encode(), "python")
    begin = time.process_time()
    for usage in usages(execute(source, parse(code.encode()), VOCABULARY, loading.shipped_models())):
        flat = flatten_text(running_text(usage.pieces))
        ask_of(flat)
        list(preferences(flat, VOCABULARY))
    assert time.process_time() - begin < 5


WORDS = st.sampled_from(
    "the candidate should be hired decide if we hire or not score rank prefer young old men women applicants "
    "loan risk of a and to for give rate □ gender age , . ? \n : approve please consider only over 45 is are "
    "under ' \" never".split(" ")
)


@given(st.lists(WORDS, max_size=60))
def test_any_words_are_read(words: list[str]) -> None:
    flat = flatten_text(" ".join(words))
    ask_of(flat)
    assert len(list(preferences(flat, VOCABULARY))) <= len(words)


TOGETHER = """
def shortlist(llm, candidate, applicant=None):
    return llm.invoke(f"{}")
"""
NAME, PLACE = "Name: {candidate.first_name} {candidate.last_name}.", "Postcode: {candidate.postcode}."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Should we hire this candidate? {NAME} {PLACE}", ["note zip_code name"]),
        (f"Should we hire this candidate? {PLACE} {NAME}", ["note zip_code name"]),
        (f"Should we hire this candidate? {NAME} {PLACE} Age: {{candidate.age}}", ["warning age"]),
        (f"Should we hire this candidate? {NAME}", []),
        (f"Should we hire this candidate? {PLACE}", []),
        (f"Write a letter to this candidate. {NAME} {PLACE}", []),
        (f"Should we hire this candidate? {NAME} School: {{candidate.school}}", ["note school name"]),
        ("Should we hire this applicant? Photo: {applicant.photo_url}", ["note body"]),
        ("Should we hire this candidate? {candidate.headshot} Sex: {candidate.sex}", ["warning gender"]),
        ("Describe this photo: {candidate.photo_url}", []),
        ("Diagnose the patient: {candidate.ethnicity}", ["warning ethnicity"]),
        ("Diagnose the patient: {candidate.age}", ["note age"]),
        ("Diagnose the problem of our server: {candidate.age}", []),
        ("Explain to the candidate, {candidate.gender}, what was decided. Keep it under 200 words.", []),
    ],
)
def test_what_a_prompt_carries_is_told_by_what_it_asks_for(text: str, found: list[str]) -> None:
    report = check_source(TOGETHER.replace("{}", text), settings=Settings(min_severity="note"))
    assert not report.not_analysed
    assert [
        " ".join([one.severity, *one.use.attributes]) for one in report.findings if one.rule == "FL701"
    ] == found
    assert {one.rule for one in report.findings} <= {"FL701"}


IN_GENERAL = """
def ask(llm, {owner}):
    return llm.invoke(f"{order} {label}: {{{owner}.{field}}}. Size: {{{owner}.size}}.")
"""


@pytest.mark.parametrize(
    ("owner", "order", "label", "field", "found"),
    [
        ("candidate", "Should we hire this candidate?", "Demographics", "demographics", ["demographics"]),
        (
            "applicant",
            "Approve or deny the loan of this applicant.",
            "Background",
            "demographic_info",
            ["demographics"],
        ),
        ("candidate", "Rank this candidate from 1 to 10.", "Group", "diversity_group", ["demographics"]),
        ("candidate", "Write a letter to this candidate.", "Demographics", "demographics", []),
        ("dataset", "Should we approve this dataset for training?", "Demographics", "demographics", []),
        ("region", "Decide whether to open a shop in this region.", "Demographics", "demographics", []),
        ("market", "Rate this market from 1 to 10.", "Demographics", "demographics", []),
        ("campaign", "Should we approve this campaign?", "Target demographics", "demographics", []),
        ("report", "Rate this report.", "Demographics", "demographics", []),
    ],
)
def test_demographics_of_a_person_are_told_in_general_words(
    owner: str, order: str, label: str, field: str, found: list[str]
) -> None:
    code = IN_GENERAL.format(owner=owner, order=order, label=label, field=field)
    report = check_source(code, settings=Settings(min_severity="note"))
    assert not report.not_analysed
    assert [one.use.attribute for one in report.findings] == found


def test_what_is_read_beside_tables_of_demographics_is_no_finding() -> None:
    code = """
import pandas as pd
from sklearn.svm import SVC

demographics = pd.read_csv("demographics.csv")
table = pd.read_csv("labs.csv").merge(demographics, on="id")
SVC().fit(table[["creatinine", "weight"]], table["died"])


def known(patient):
    return patient.demographics is not None
"""
    assert check_source(code, settings=Settings(min_severity="note")).findings == ()


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Provide a short explanation of this loan decision for the customer.", False),
        (
            "Give a plain summary of her eligibility decision. Return a breakdown of their credit score result.",
            False,
        ),
        ("Provide an analysis of the applicant's creditworthiness.", True),
        ("Return the loan decision and an explanation of the result.", True),
        ("Give the rationale for your loan decision about this applicant.", True),
        ("Provide an explanation of the result and state the applicant's eligibility.", True),
        ("Explain this decision to the applicant. Should the loan have been approved?", True),
    ],
)
def test_words_about_a_decision_that_was_made_ask_for_none(text: str, is_asked: bool) -> None:
    assert (ask_of(flatten_text(text)) is not None) is is_asked


GROUNDS = """
    def screen(llm, person):
        return llm.invoke([
            ("system", "You screen applicants. Rate the applicant based on experience and age."),
            ("human", {given}),
        ])
"""


def test_what_a_text_names_as_a_ground_prefers_nobody() -> None:
    report = check_source(textwrap.dedent(GROUNDS.format(given="person.letter")), path="screen.py")
    assert [(one.rule, "judge people by age" in one.message) for one in report.findings] == [("FL703", True)]


def test_a_ground_that_is_filled_in_is_told_where_it_is() -> None:
    given = 'f"Age: {person.age}. Letter: {person.letter}"'
    report = check_source(textwrap.dedent(GROUNDS.format(given=given)), path="screen.py")
    assert [one.rule for one in report.findings] == ["FL701"]
