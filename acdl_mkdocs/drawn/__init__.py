"""The path of `drawing/from_drawing/read.py` that users know."""
