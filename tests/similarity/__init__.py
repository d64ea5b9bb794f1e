"""Which texts say the same, and what forbids to make them one."""
