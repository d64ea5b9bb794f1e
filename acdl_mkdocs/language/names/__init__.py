"""The references of names. Knows how trees are built, not how they are shown."""
