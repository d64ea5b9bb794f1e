"""The pages about problems: read from rules and `assets/problems/`, and written as Markdown, text and JSON."""
