"""The playbook of an agent: bullets that it learned, and the deterministic curator that edits them one at a time.

`bullets` holds the values, `operations` what can be done to them, `curate` does it. Everything here is a pure function
of its arguments: no file, no model, no clock, no randomness. Source: arXiv:2510.04618, section 3.
"""
