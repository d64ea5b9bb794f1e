"""Packages that only some parts need: imported on first use, with an error that shows how to install them."""

from importlib import import_module
from types import ModuleType

from acdl_mkdocs.foundation.errors import MissingExtraError


def import_extra(module: str, extra: str) -> ModuleType:
    """Import a module that an extra installs.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as reason:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"`{extra}` needs the package {package}, which cannot be imported ({reason}): "
            f"pip install 'acdl-mkdocs[{extra}]'"
        ) from None
