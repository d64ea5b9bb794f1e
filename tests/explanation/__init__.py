"""A spec in words."""
