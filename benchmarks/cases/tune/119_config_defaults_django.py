from django.db import models
from pydantic import BaseModel, Field
import typer

app = typer.Typer()


class Customer(models.Model):
    name = models.CharField(max_length=80)
    sex = models.CharField(max_length=1, default="M")  # FL403: gender
    marital_status = models.CharField(max_length=12, null=True, blank=True)  # silent: no default


class LoanRequest(BaseModel):
    amount: float
    ethnicity: str = Field(default="non-hispanic")  # FL403: ethnicity
    gender: str | None = Field(default=None)  # silent: no group by default


@app.command()
def quote(km: int, religion: str = typer.Option("christian")):  # FL403: religion
    typer.echo(f"{km * 0.03:.2f}")


def widget(title, color="white", orientation="horizontal"):  # silent: a user interface
    return {"title": title, "bg": color, "orientation": orientation}
