"""Tests of figures in a browser."""
