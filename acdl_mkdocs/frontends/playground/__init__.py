"""The playground: the engine that runs in a browser, and the bundle that a site serves."""
