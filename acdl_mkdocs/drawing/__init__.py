"""The look of a spec: boxes, their places, the formats they are written in, and drawings read as specs."""
