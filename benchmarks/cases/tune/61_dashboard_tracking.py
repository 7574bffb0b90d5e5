import mlflow
import plotly.express as px
import streamlit as st
import pandas as pd

scored = pd.read_parquet("scored.parquet")
group = st.sidebar.selectbox("Break down by", ["sex", "race", "age_band"])  # silent: dashboard control
chosen = st.multiselect("Race", sorted(scored["race"].dropna().unique()))  # silent: dashboard control
view = scored[scored["race"].isin(chosen)] if chosen else scored  # silent: a search the user steers

rates = view.groupby(group)["approved"].mean()  # silent: rates by group
st.plotly_chart(px.bar(rates, title=f"Approval rate by {group}"))

with mlflow.start_run():
    for name, rate in rates.items():
        mlflow.log_metric(f"rate_{group}_{name}", rate)  # silent: logged audit figure
    ratio = rates.min() / rates.max()
    mlflow.set_tag("four_fifths", "ok" if ratio >= 0.8 else "violated")
