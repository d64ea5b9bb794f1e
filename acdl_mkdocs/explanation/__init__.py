"""The path of `evaluation/explain/text.py` that users know."""
