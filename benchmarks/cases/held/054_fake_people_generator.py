"""Seed the demo database with made-up people."""
import random
from faker import Faker

fake = Faker("en_GB")


def fake_person(sex=None):
    sex = sex or random.choice(["male", "female"])  # silent: random generator
    first = fake.first_name_male() if sex == "male" else fake.first_name_female()  # silent: name generator
    return {
        "first": first,
        "last": fake.last_name(),
        "sex": sex,
        "age": random.randint(18, 90),  # silent: random value
    }


if __name__ == "__main__":
    for _ in range(25):
        print(fake_person())
