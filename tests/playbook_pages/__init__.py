"""Tests of pages of playbooks."""
