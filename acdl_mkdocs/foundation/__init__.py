"""Shared by all folders: source text, diagnostics and reports, safe text, secrets, files, YAML. Knows no ACDL."""
