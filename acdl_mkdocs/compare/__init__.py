"""The changes between two specs: in their structure, and in the messages that they send."""
