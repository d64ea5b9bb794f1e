"""Python-Markdown and what uses it: its extension, custom fences of `pymdownx`, Pygments."""
