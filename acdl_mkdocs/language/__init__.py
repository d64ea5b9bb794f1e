"""Text to tree, the references of names, and the problems of a text. Knows no figures, no state and no files."""
