"""Recorded runs of an agent: the prompts sent to a model, read, grouped and checked against a spec."""
