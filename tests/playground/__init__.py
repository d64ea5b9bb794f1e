"""The playground: its engine, and what travels to a browser."""
