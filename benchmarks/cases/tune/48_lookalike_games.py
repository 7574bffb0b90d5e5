"""Character creation and tournament helpers."""
import random

RACE_BONUS = {"elf": 3, "orc": 1, "dwarf": 2}  # silent: a game
NAMES = {"male": ["Bran", "Oskar"], "female": ["Ida", "Runa"]}  # silent: a name generator


def roll(player):
    hp = random.randint(8, 12)
    if player.race == "orc":  # silent: a game
        hp += 4
    return hp + RACE_BONUS.get(player.race, 0)


def random_name(gender):
    return random.choice(NAMES[gender])  # silent: a name generator


def race_result(laps, winner):
    return sorted(laps, key=lambda lap: lap.time)[:3] + [winner]


def bar_weight(athlete):
    return 20 if athlete.gender == "male" else 15  # silent: sports category


def sprint_category(runner):
    if runner.age >= 35:  # silent: masters category
        return f"Masters {'W' if runner.gender == 'female' else 'M'}"
    return "Open"
