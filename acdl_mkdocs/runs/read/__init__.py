"""Files of recorded runs, one module a form, to the requests that were sent."""
