"""Runs that are recorded, forwarded, replayed and scripted."""
