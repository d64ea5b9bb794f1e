"""Comparison of specs."""
