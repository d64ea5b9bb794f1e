"""How a spec looks, in no particular file format: boxes, then geometry."""
