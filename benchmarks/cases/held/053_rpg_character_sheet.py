import random

RACE_BONUS = {"elf": {"mana": 4}, "dwarf": {"armor": 3}, "orc": {"strength": 5}}  # silent: game races


class Character:
    def __init__(self, name, race, gender="male", level=1):  # silent: game figure
        self.name, self.race, self.gender, self.level = name, race, gender, level
        self.stats = {"hp": 20, "mana": 10, "strength": 8, "armor": 0}
        for stat, plus in RACE_BONUS[race].items():
            self.stats[stat] += plus

    def damage(self, weapon):
        roll = random.randint(1, 6)
        if self.race == "orc":  # silent: game rule
            roll += 2
        return roll + weapon.power
