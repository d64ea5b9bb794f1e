"""Python-Markdown and tools built on it: its extension, custom fences of `pymdownx`, Pygments."""
