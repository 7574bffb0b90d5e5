import anthropic

client = anthropic.Anthropic()

RISK = """You assist a parole board.
Inmate: {name}, {ethnicity}, {age} years.
Prior convictions: {priors}.
Score the risk of reoffending from 1 to 10 and recommend release or denial.
"""  # FL701: ethnicity; FL701: age


def risk(inmate):
    text = RISK.format(name=inmate.name, ethnicity=inmate.ethnicity, age=inmate.age, priors=inmate.priors)
    msg = client.messages.create(
        model="claude-3-5-sonnet-latest",
        max_tokens=200,
        messages=[{"role": "user", "content": text}],
    )
    return msg.content[0].text


def summarise(inmate):
    text = f"Summarise the file of {inmate.name}, who is {inmate.age}, in plain language for the family."  # silent: a summary
    msg = client.messages.create(model="claude-3-5-haiku-latest", max_tokens=300,
                                 messages=[{"role": "user", "content": text}])
    return msg.content[0].text
