"""Text to tree, what names refer to, and what is wrong. Knows no figures, no state and no files."""
