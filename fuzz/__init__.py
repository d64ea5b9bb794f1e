"""Coverage-guided fuzzing: `python -m fuzz.run`. One file for each target, seeds from examples and golden files.

Nothing of it is in the wheel. What a target promises is checked without a fuzzer too: `tests/test_fuzz.py` replays the
corpus and every finding.
"""
