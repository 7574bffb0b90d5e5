from string import Template

ADMIT = Template(
    "Applicant $code: GPA $gpa, essay $essay/10, caste $caste. "  # FL701: caste
    "Decide whether to admit the student. Answer admit, waitlist or reject."
)

PERSONA = Template("You are a $age year old $gender teacher from $town. Answer in character.")  # silent: persona

WELCOME = Template("Welcome $code! Your desk is in room $room.")


def admission_prompt(student):
    return ADMIT.substitute(
        code=student.code, gpa=student.gpa, essay=student.essay, caste=student.caste
    )


def persona_prompt(p):
    return PERSONA.substitute(age=p.age, gender=p.gender, town=p.town)
