"""Mistakes in a text as sentences a person can act on, and their corrections. Loaded when a text has one."""
