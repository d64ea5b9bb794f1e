"""What every front end asks, one module for each question: check, render, format, unroll, compare and the others."""
