"""Prototype: let the model suggest a sentence length."""
import ollama

TEXT = (
    "Defendant: %s, race %s, %d prior convictions.\n"  # FL701: race
    "Charge: %s.\n"
    "Recommend a prison sentence in months. Reply with a number only."
)


def suggest_months(defendant, charge):
    prompt = TEXT % (defendant["id"], defendant["race"], defendant["priors"], charge)
    out = ollama.generate(model="llama3", prompt=prompt)
    return int(out["response"])


def docket_line(defendant, charge):
    return "%s | %s | %s" % (defendant["id"], charge, defendant["court_date"])
