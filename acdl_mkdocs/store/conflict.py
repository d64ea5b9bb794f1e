"""Files in which git left a conflict because it was not told to merge playbooks with `acdl`: both sides taken apart.

Knows the marks of git, nothing of what stands between them.
"""

import re

CURE = "`acdl playbook repair` takes both sides; or `git merge --abort`, `acdl playbook merge --setup`, and merge again"
MESSAGE = "git left a conflict in this file"
_OURS, _BASE, _MIDDLE, _THEIRS = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"
_MARK = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: [^\n]*)?|={7}")


def is_mark(line: bytes) -> bool:
    """Whether a line is one that git puts around the sides of a conflict."""
    return _MARK.fullmatch(line.rstrip(b"\r")) is not None


def place_of(data: bytes) -> int | None:
    """Where the first side begins; `None` if a file has no conflict, or what is left of one."""
    if _OURS not in data or _THEIRS not in data:
        return None
    found = re.search(rb"(?m)^<{7}(?: |\r?$)", data)
    is_whole = found and re.search(rb"(?m)^={7}\r?$", data) and re.search(rb"(?m)^>{7}(?: |\r?$)", data)
    return found.start() if found and is_whole else None


def sides_of(data: bytes) -> tuple[bytes, bytes] | None:
    """The file as our branch and as theirs has it; `None` if the marks do not follow each other as git writes them."""
    ours: list[bytes] = []
    theirs: list[bytes] = []
    here = b""
    follows = {b"": (_OURS,), _OURS: (_BASE, _MIDDLE), _BASE: (_MIDDLE,), _MIDDLE: (_THEIRS,)}
    for line in _lines(data):
        if is_mark(line.rstrip(b"\n")):
            mark = line[:7]
            if mark not in follows[here]:
                return None
            here = b"" if mark == _THEIRS else mark
            continue
        if here in (b"", _OURS):
            ours.append(line)
        if here in (b"", _MIDDLE):
            theirs.append(line)
    return None if here else (b"".join(ours), b"".join(theirs))


def common_lines(one: bytes, two: bytes) -> bytes:
    """The lines that both begin with."""
    kept = []
    for a, b in zip(_lines(one), _lines(two), strict=False):
        if a.rstrip(b"\r\n") != b.rstrip(b"\r\n"):
            break
        kept.append(a)
    return b"".join(kept)


def _lines(data: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", data)
