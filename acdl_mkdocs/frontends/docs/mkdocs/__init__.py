"""MkDocs and ProperDocs: the plugin `acdl`, and its additions to a site."""
