"""Apply machine fixes to files, for `acdl check --fix`."""

from pathlib import Path

from acdl_mkdocs.cli.writing import replace_file
from acdl_mkdocs.config import Config
from acdl_mkdocs.source import Source

_SPEC = ".acdl"


def fix_file(path: Path, config: Config, *, unsafe: bool) -> int:
    """Fix a spec in place until nothing is left to fix; the number of fixes, 0 for any other kind of file.

    Raises:
        OSError: The file cannot be written.
    """
    from acdl_mkdocs.analyse import analyse
    from acdl_mkdocs.fixes import fix_until_stable

    if path.suffix.lower() != _SPEC:
        return 0
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return 0  # the check that follows says so
    fixed = fix_until_stable(text, lambda each: analyse(Source(each, str(path)), config).diagnostics, unsafe=unsafe)
    if fixed.text != text:
        replace_file(path, fixed.text.encode("utf-8"))
    return fixed.n_fixed
