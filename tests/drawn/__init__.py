"""Tests of `drawn/`."""
