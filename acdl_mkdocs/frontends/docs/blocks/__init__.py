"""The blocks of a page: one module for each kind, and the parts that kinds share."""
