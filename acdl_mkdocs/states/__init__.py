"""The path of `evaluation/state/read.py` that users know."""
