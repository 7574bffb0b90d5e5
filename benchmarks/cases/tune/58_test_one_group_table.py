import unittest

from lending.rules import affordability

BORROWERS = [  # FL802|FL801: marital_status
    {"name": "Reuben", "marital_status": "married", "income": 2100, "rate": 700},
    {"name": "Olga", "marital_status": "married", "income": 3900, "rate": 900},
    {"name": "Hans", "marital_status": "Married", "income": 1200, "rate": 1000},
    {"name": "Ling", "marital_status": "married", "income": 5200, "rate": 1500},
]


class AffordabilityTest(unittest.TestCase):
    def setUp(self):
        self.one = {"name": "Ada", "gender": "female", "income": 2500, "rate": 500}  # silent: a single fixture

    def test_ratio(self):
        for b in BORROWERS:
            with self.subTest(b["name"]):
                self.assertAlmostEqual(affordability(b), b["rate"] / b["income"])

    def test_single(self):
        self.assertLess(affordability(self.one), 0.4)
