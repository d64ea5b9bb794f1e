"""Two texts to the edits between their trees."""
