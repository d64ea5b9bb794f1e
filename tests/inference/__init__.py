"""Tests of specs that are inferred from recordings."""
