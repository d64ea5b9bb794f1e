"""The parts of a site beside its blocks: galleries, pages of specs, references, files for programs."""
