"""Matching of recorded requests with the pattern of a spec, and the verdicts about its lines."""
