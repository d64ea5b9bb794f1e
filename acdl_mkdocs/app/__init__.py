"""The functions that every front end calls, one module each: check, render, format, unroll, compare and others."""
