"""Specs and sample states inferred from recorded runs."""
