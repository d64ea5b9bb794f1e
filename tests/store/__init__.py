"""Playbooks on the disk."""
