"""One prompt in several spellings, counted."""
