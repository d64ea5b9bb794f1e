"""MkDocs and ProperDocs: the plugin `acdl`, and what it adds to a site."""
