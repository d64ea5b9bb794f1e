"""What every front end calls: check, render, evaluate, compare, explain; specs made by programs."""
