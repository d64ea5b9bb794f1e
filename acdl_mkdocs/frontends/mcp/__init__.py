"""Tools for coding agents over the Model Context Protocol; only `server.py` knows the protocol."""
