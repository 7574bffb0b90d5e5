import math


def egfr_mdrd(creatinine, age, sex, race):
    """MDRD estimate of kidney function in ml/min/1.73 m2."""
    value = 175 * math.pow(creatinine, -1.154) * math.pow(age, -0.203)
    if sex == "female":  # silent: sex term of a clinical formula
        value *= 0.742
    if race == "black":  # FL204|FL201|FL101: race
        value *= 1.212
    return value


def transplant_waitlist(patient):
    return egfr_mdrd(patient.creatinine, patient.age, patient.sex, patient.race) <= 20


def stage(egfr):
    bounds = [(90, "G1"), (60, "G2"), (45, "G3a"), (30, "G3b"), (15, "G4")]
    return next((name for low, name in bounds if egfr >= low), "G5")
