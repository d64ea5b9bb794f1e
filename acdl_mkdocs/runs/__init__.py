"""Recorded runs of an agent: what was really sent to a model, read, grouped and held against a spec."""
