"""How a spec looks: boxes, their places, the formats they are written in, and drawings read as specs."""
