"""Readers of recorded runs, one module for each form: from files to the requests that were sent."""
