"""The package with other docs tools, plugins and themes: one small site each, built by the real thing.

`rows.py` has them as data, `sites.py` writes, builds and checks one. `make hosts` runs all of them in an environment of
its own and keeps what came of it in `results.json`, from which the documentation has its table; `make test` runs those
whose packages are there.
"""
