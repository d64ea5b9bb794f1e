"""What a site is made of beside its blocks: galleries, pages of specs, references, files for programs."""
