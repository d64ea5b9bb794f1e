"""The blocks of a page: one module for each kind, and what kinds share."""
