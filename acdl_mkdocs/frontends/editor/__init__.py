"""Answers to an editor's questions about ACDL text: pure functions on documents, independent of any protocol."""
