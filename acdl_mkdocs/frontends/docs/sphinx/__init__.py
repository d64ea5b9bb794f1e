"""Sphinx: directives, the domain `acdl`, and their additions to a project."""
