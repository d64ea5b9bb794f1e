"""One module for each documentation tool; the only modules that import such tools."""
