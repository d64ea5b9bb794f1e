"""Sample states: read with every problem in its place, written, and compared with what a spec reads."""
