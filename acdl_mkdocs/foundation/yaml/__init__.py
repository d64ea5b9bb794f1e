"""YAML 1.2 and JSON: read with every value in its place, and written with comments."""
