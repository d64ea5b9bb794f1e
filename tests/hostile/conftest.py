"""The projects of other tests, for sites of hostile texts."""

from integrations.conftest import project

__all__ = ["project"]
