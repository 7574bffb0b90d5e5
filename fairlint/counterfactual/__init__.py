"""Counterfactual people: does a decision change when nothing but a protected attribute does?"""
