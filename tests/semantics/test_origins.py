"""What a record is makes no difference to what is read of it, be it made by another package."""

from __future__ import annotations

from itertools import product

import pytest

from fairlint import check_source

ORIGINS = {
    "untyped": ("", "def rate(applicant):\n"),
    "Dict": ("from typing import Dict\n", "def rate(applicant: Dict):\n"),
    "Dict[str, Any]": ("from typing import Any, Dict\n", "def rate(applicant: Dict[str, Any]):\n"),
    "Any": ("from typing import Any\n", "def rate(applicant: Any):\n"),
    "Mapping": ("from collections.abc import Mapping\n", "def rate(applicant: Mapping[str, str]):\n"),
    "OrderedDict": ("from collections import OrderedDict\n", "def rate(applicant: OrderedDict):\n"),
    "Optional": ("from typing import Dict, Optional\n", "def rate(applicant: Optional[Dict]):\n"),
    "json.loads": ("import json\n", "def rate(raw):\n    applicant = json.loads(raw)\n"),
    "tomllib": ("import tomllib\n", "def rate(raw):\n    applicant = tomllib.loads(raw)\n"),
    "pickle": ("import pickle\n", "def rate(raw):\n    applicant = pickle.loads(raw)\n"),
    "deepcopy": ("import copy\n", "def rate(raw):\n    applicant = copy.deepcopy(raw)\n"),
    "asdict": ("from dataclasses import asdict\n", "def rate(raw):\n    applicant = asdict(raw)\n"),
    "argparse": ("from argparse import Namespace\n", "def rate(applicant: Namespace):\n"),
    "requests": ("import requests\n", "def rate(raw):\n    applicant = requests.get(raw).json()\n"),
    "httpx": ("import httpx\n", "def rate(raw):\n    applicant = httpx.get(raw).json()['applicant']\n"),
    "flask form": ("from flask import request\n", "def rate():\n    applicant = request.form\n"),
    "flask json": ("from flask import request\n", "def rate():\n    applicant = request.get_json()\n"),
    "django": ("from django.contrib.auth.models import User\n", "def rate(applicant: User):\n"),
    "sqlalchemy": ("from sqlalchemy import Row\n", "def rate(applicant: Row):\n"),
    "pydantic": ("from pydantic import BaseModel\n", "def rate(applicant: BaseModel):\n"),
    "pymongo": (
        "from pymongo import MongoClient\n",
        "def rate(raw):\n    applicant = MongoClient().db.people.find_one({'id': raw})\n",
    ),
    "redis": ("import redis\n", "def rate(raw):\n    applicant = redis.Redis().hgetall(raw)\n"),
    "langgraph": ("from langgraph.graph import MessagesState\n", "def rate(applicant: MessagesState):\n"),
    "a package's class": ("from people import Applicant\n", "def rate(applicant: Applicant):\n"),
    "a package's function": ("from people import load\n", "def rate(raw):\n    applicant = load(raw)\n"),
    "csv": ("import csv\n", "def rate(raw):\n  for applicant in csv.DictReader(raw):\n"),
    "a list": ("from typing import Dict, List\n", "def rate(rows: List[Dict]):\n  for applicant in rows:\n"),
    "iterrows": (
        "import pandas as pd\n",
        "def rate(df: pd.DataFrame):\n  for _, applicant in df.iterrows():\n",
    ),
}
"""What a record comes from: the imports, and the code before it is read."""
READS = ('.get("gender", "")', '.get("gender")', '["gender"]', ".gender")
FORMS = (
    "{}",
    "{}.lower()",
    "{}.strip().casefold()",
    "str({}).upper()",
    '({} or "").lower()',
    "{}.split()[0]",
    '{}.split("-")[0].strip()',
)


@pytest.mark.parametrize("origin", ORIGINS)
def test_every_read_of_a_record_is_followed(origin: str) -> None:
    imports, head = ORIGINS[origin]
    missed = []
    for read, form in product(READS, FORMS):
        group = "MALE" if "upper" in form else "male"
        test = f'{form.format(f"applicant{read}")} == "{group}"'
        code = f"{imports}{head}    score = 50\n    if {test}:\n        score += 10\n    return score\n"
        told = [
            (one.rule, one.severity, one.points and one.points.by_group)
            for one in check_source(code, path="rating.py").findings
        ]
        if told != [("FL201", "error", {"male": 10.0, "female": 0.0})]:
            missed.append((test, told))
    assert missed == []


def test_methods_of_another_packages_table_are_not_those_of_pandas() -> None:
    code = "from gridlib import Sheet\nsheet = Sheet()\nsheet['race'] = sheet['race'].fillna('White')\n"
    assert check_source(code, path="work.py").findings == ()
