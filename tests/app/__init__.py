"""Tests of `app`: the functions that all front ends are thin shells over."""
