"""HTML that a reader unfolds."""


def write_details(
    title: str,
    content: str,
    class_name: str = "",
    *,
    attributes: str = "",
    title_class: str = "",
    is_open: bool = False,
) -> str:
    """Write HTML that unfolds under a title.

    Parameters:
        title: What is always seen, as HTML.
        content: What unfolds, as HTML.
        class_name: Classes of the whole.
        attributes: Further attributes, as HTML.
        title_class: Classes of the title.
        is_open: Whether it is unfolded at first.
    """
    opened = "open" if is_open else ""
    whole = " ".join(filter(None, ("details", _write_class(class_name), attributes, opened)))
    summary = " ".join(filter(None, ("summary", _write_class(title_class))))
    return f"<{whole}><{summary}>{title}</summary>{content}</details>"


def _write_class(names: str) -> str:
    return f'class="{names}"' if names else ""
