import json

import anthropic

SYSTEM = "You are a loan officer. Approve or deny the request and give a credit limit in USD."


def ask(app: dict) -> dict:
    messages = [
        {
            "role": "user",
            "content": "Income: {income}\nDebt: {debt}\nMarital status: {ms}\nReturn JSON with approve and limit.".format(  # FL701: marital_status
                income=app["income"], debt=app["debt"], ms=app["marital_status"]
            ),
        }
    ]
    msg = anthropic.Anthropic().messages.create(
        model="claude-3-5-haiku-latest", max_tokens=200, system=SYSTEM, messages=messages
    )
    return json.loads(msg.content[0].text)


def explain(app: dict) -> str:
    return "Customer request of {income} USD income, {debt} USD debt.".format(**app)
