"""A recorded run as the sample state of its spec."""
