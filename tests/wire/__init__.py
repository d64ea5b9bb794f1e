"""Formats of requests to providers."""
