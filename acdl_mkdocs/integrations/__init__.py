"""The paths of `frontends/docs/` that configurations of documentation tools know."""
