"""Specs made from the grammar, each as somebody could write it, and what has to hold for all of them."""
