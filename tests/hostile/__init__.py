"""Tests of what people would write to hurt readers, builders and terminals."""
