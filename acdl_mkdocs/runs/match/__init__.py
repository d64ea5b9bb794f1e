"""Recorded requests against the pattern of a spec, and what that says about its lines."""
