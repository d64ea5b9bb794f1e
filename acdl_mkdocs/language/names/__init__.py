"""What a name refers to. Knows how trees are built, not how they are shown."""
