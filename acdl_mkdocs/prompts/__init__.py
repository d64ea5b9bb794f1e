"""What is sent to a model, as one provider-neutral value, and every way to write and read it."""
