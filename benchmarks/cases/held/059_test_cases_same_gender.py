import unittest
from types import SimpleNamespace

from bank.limits import decide

DENIED = [  # FL801|FL802: gender
    SimpleNamespace(gender="female", income=31000, late=4),
    SimpleNamespace(gender="female", income=18000, late=0),
    SimpleNamespace(gender="F", income=52000, late=9),
    SimpleNamespace(gender="woman", income=15000, late=2),
]
GRANTED = [  # FL801|FL802: gender
    SimpleNamespace(gender="male", income=64000, late=0),
    SimpleNamespace(gender="man", income=71000, late=1),
    SimpleNamespace(gender="M", income=58000, late=0),
]


class LimitTest(unittest.TestCase):
    def test_denied(self):
        for person in DENIED:
            self.assertEqual(decide(person), "denied")

    def test_granted(self):
        for person in GRANTED:
            self.assertEqual(decide(person), "granted")
