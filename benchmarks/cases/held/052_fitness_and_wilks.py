"""Numbers shown in the gym app."""


def bmr(weight_kg, height_cm, age, sex):
    base = 10 * weight_kg + 6.25 * height_cm - 5 * age
    return base + 5 if sex == "male" else base - 161  # silent: basal metabolic rate


def wilks(total, bodyweight, gender):
    men = (-216.0475144, 16.2606339, -0.002388645)
    women = (594.31747775582, -27.23842536447, 0.82112226871)
    a, b, c = men if gender == "M" else women  # silent: sports category coefficients
    return total * 500 / (a + b * bodyweight + c * bodyweight**2)


def weight_class(lifter):
    limits = {"F": [47, 52, 57, 63], "M": [59, 66, 74, 83]}[lifter.sex]  # silent: sports categories
    return next((x for x in limits if lifter.bodyweight <= x), None)
