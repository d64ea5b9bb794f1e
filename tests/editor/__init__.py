"""What an editor asks about documents: every feature is a function on a text with a mark where the cursor is."""
