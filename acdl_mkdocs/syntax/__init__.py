"""The path of `language/syntax/nodes.py` that users know."""
