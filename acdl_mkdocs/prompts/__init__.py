"""Prompts as one provider-neutral value, and all formats that they are written to and read from."""
