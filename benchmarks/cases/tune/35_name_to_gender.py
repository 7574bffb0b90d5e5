"""Fill the gender column of the alumni file."""
import csv

import gender_guesser.detector as gg

guesser = gg.Detector(case_sensitive=False)


def enrich(path_in, path_out):
    with open(path_in, newline="") as fin, open(path_out, "w", newline="") as fout:
        reader = csv.DictReader(fin)
        writer = csv.DictWriter(fout, reader.fieldnames + ["gender"])  # silent: a column header
        writer.writeheader()
        for row in reader:
            first = row["name"].split()[0]
            row["gender"] = guesser.get_gender(first)  # FL306: gender
            writer.writerow(row)


def pronoun(gender):
    return {"male": "he", "female": "she"}.get(gender, "they")  # silent: pronouns
