"""Sphinx: directives, the domain `acdl`, and what they add to a project."""
