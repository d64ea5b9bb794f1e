"""Bullets and the deterministic curator that edits them: no file, no model, no clock. Source: arXiv:2510.04618."""
