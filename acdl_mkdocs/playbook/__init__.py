"""The playbook of an agent: bullets that it learned, and the deterministic curator that edits them one at a time.

In `model/`, `bullets` has the values, `operations` the operations, and `curate` applies them. All functions there are
pure: no file, no model, no clock, no randomness. Source: arXiv:2510.04618, section 3.
"""
