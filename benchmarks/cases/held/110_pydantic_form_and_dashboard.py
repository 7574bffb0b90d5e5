from datetime import date
from typing import Literal, Optional

import streamlit as st
from pydantic import BaseModel, field_validator


class Person(BaseModel):
    gender: Literal["female", "male", "diverse", "unknown"] = "unknown"  # silent: validation, default unknown
    birth_date: Optional[date] = None  # silent: schema
    religion: Optional[str] = None  # silent: schema

    @field_validator("birth_date")
    @classmethod
    def not_in_future(cls, v):
        if v and v > date.today():  # silent: validation
            raise ValueError("birth date lies in the future")
        return v


def dashboard(frame):
    group = st.selectbox("Group by", ["gender", "race", "age_band"])  # silent: user picks the report
    st.bar_chart(frame.groupby(group)["approved"].mean())  # silent: dashboard
    only = st.selectbox("Show", ["all", "female", "male"])
    if only != "all":
        st.dataframe(frame[frame["gender"] == only])  # silent: search steered by the user
