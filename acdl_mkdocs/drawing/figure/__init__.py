"""The look of a spec, in no particular file format: boxes, then geometry."""
