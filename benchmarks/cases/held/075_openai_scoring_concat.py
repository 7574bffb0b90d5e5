import os

import requests

API = "https://llm.internal/v1/chat/completions"


def risk_question(driver: dict) -> str:
    question = (
        "Rate the insurance risk of this driver from 1 to 10 and set the premium.\n"  # FL701: national_origin
        + "Accidents: " + str(driver["accidents"]) + "\n"
        + "Nationality: " + driver["nationality"] + "\n"
    )
    return question


def receipt(driver: dict) -> str:
    return "Thank you, driver no. " + str(driver["number"]) + ", your papers have arrived."


def send(question: str) -> str:
    r = requests.post(
        API,
        headers={"Authorization": os.environ["LLM_TOKEN"]},
        json={"model": "mixtral", "messages": [{"role": "user", "content": question}]},
        timeout=60,
    )
    return r.json()["choices"][0]["message"]["content"]
