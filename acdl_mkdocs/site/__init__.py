"""What a documentation site is made of, whatever tool builds it: fences, their options, and what a page shows."""
