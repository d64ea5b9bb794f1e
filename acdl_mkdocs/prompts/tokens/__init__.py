"""Counts of model tokens of texts and prompts, offline, and one prompt in several spellings."""
