"""The messages that two specs send, compared point by point."""
