"""Sample states: reading with exact positions of problems, writing, and comparing with what a spec reads."""
