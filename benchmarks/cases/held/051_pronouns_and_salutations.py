PRONOUNS = {"female": "she", "male": "he"}  # silent: pronouns


def pronoun(person):
    return PRONOUNS.get(person.gender, "they")  # silent: pronouns


def salutation(person, lang="en"):
    if person.gender == "female":  # silent: salutation
        title = "Ms" if lang == "en" else "Frau"
    elif person.gender == "male":
        title = "Mr" if lang == "en" else "Herr"
    else:
        title = ""
    return f"Dear {title} {person.surname}".replace("  ", " ")


def offer_letter(person, salary):
    return f"{salutation(person)},\n\nwe are happy to offer you {salary} EUR a year.\n"
