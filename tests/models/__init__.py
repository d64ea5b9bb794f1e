"""Tests of the ways to reach a model."""
