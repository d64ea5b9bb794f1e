"""What documentation tools show: blocks, pages made by machine, and one folder for each tool."""
