"""Tools for coding agents."""
