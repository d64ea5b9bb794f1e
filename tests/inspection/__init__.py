"""Tests of what recordings show without a spec."""
