"""Text to tree and back. Knows no rules, no figures and no files but its own table."""
