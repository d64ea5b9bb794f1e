"""Explanations of specs in words: who speaks and when, what each message contains, how it grows, what a state needs."""
