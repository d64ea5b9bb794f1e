"""What every front end asks: check, render, evaluate, compare, explain; specs made by programs."""
