"""Everything for documentation tools: blocks, generated pages, and one folder for each tool."""
