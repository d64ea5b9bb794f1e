"""Evaluation: from a spec and a sample state to the messages of the prompt at one point in time."""
