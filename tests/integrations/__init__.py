"""Tests of the docs tools."""
