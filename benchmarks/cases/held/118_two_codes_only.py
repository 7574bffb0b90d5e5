"""Turn the survey answers of the health fund into numbers."""
import csv
import sys


def gender_code(answer):
    return 1 if answer.strip().lower() == "male" else 0  # FL402: gender


def smoker_code(answer):
    return {"yes": 1, "no": 0}.get(answer.lower(), -1)


def full_gender_code(gender):
    return {"male": 1, "female": 2, "diverse": 3}.get(gender, 0)  # silent: codes of a questionnaire with unknown


def convert(src, dst):
    reader = csv.DictReader(src)
    writer = csv.writer(dst)
    writer.writerow(["id", "gender", "smoker"])
    for r in reader:
        writer.writerow([r["id"], gender_code(r["gender"]), smoker_code(r["smoker"])])


convert(sys.stdin, sys.stdout)
