"""PML, a prompt as an XML document, and LAIC, tools and their calls in it: reading, checking, writing.

A document is read into the neutral model of `prompts/prompt.py` and written from it. Knows no provider and no ACDL.
"""
