import json
import requests

URL = "http://localhost:11434/api/chat"


def triage_claim(claimant):
    messages = [
        {"role": "system", "content": "You decide on housing benefits. Reply with approve or reject."},
        {"role": "user", "content": "Claimant nationality: " + claimant["nationality"] + ", rent: " + str(claimant["rent"])},  # FL701: national_origin
    ]
    r = requests.post(URL, json={"model": "llama3", "messages": messages, "stream": False}, timeout=60)
    return r.json()["message"]["content"]


def translate(claimant, letter):
    messages = [
        {"role": "system", "content": "You are a translator."},
        {"role": "user", "content": f"Translate for a speaker of {claimant['native_language']}: {letter}"},  # silent: translation
    ]
    r = requests.post(URL, json={"model": "llama3", "messages": messages, "stream": False}, timeout=60)
    return json.loads(r.text)["message"]["content"]
