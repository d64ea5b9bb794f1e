"""What can be wrong with blocks, pages, states and documents, documented like rules."""
