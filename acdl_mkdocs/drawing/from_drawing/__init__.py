"""The drawn notation, as in papers and on whiteboards, read as ACDL."""
