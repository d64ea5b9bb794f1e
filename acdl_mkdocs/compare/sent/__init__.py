"""What two specs send, point by point."""
