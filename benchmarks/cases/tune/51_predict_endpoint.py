import joblib
from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()
model = joblib.load("model.joblib")


class Applicant(BaseModel):
    income: float
    loan_amount: float
    age: int = Field(ge=18, le=120)  # silent: validation
    gender: str  # silent: schema


@app.post("/score")
def score(a: Applicant):
    is_male = 1 if a.gender == "male" else 0  # FL402|FL301: gender
    row = [[
        a.income,
        a.loan_amount,
        a.age,  # FL301: age
        is_male,  # FL301|FL402: gender
    ]]
    return {"approved": bool(model.predict(row)[0])}
