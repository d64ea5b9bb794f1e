"""The options of the plugin `acdl`, checked when MkDocs reads its configuration."""

from mkdocs.config import config_options as c
from mkdocs.config.base import BaseConfigOption, Config, ConfigErrors, ConfigWarnings, ValidationError

from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.pages.downloads import FORMATS
from acdl_mkdocs.frontends.docs.settings import SETTINGS, Settings, folder_of_site, set_setting


class SharedSetting(BaseConfigOption[object]):
    """A setting that the Markdown extension has too; `None` if the site does not set it."""

    def pre_validation(self, config: Config, key_name: str) -> None:
        """Store the name."""
        del config
        self.name = key_name

    def run_validation(self, value: object) -> object:
        """Validate the value as the extension does."""
        try:
            set_setting(Settings(), self.name, value)
        except ValueError as reason:
            raise ValidationError(str(reason)) from None
        return value


class PlaygroundOption(SharedSetting):
    """The playground of the site, or an external one."""

    def run_validation(self, value: object) -> object:
        """Accept `true`, or an address as the extension does."""
        return True if value is True else super().run_validation(value)


class SiteFolder(c.Type[str]):
    """A folder of the finished site."""

    def __init__(self, default: str) -> None:
        super().__init__(str, default=default)

    def pre_validation(self, config: Config, key_name: str) -> None:
        """Store the name."""
        del config
        self.name = key_name

    def run_validation(self, value: object) -> str:
        """Accept a folder inside the site."""
        try:
            return folder_of_site(self.name, super().run_validation(value))
        except ValueError as reason:
            raise ValidationError(str(reason)) from None


class JobsOption(c.Type[int]):
    """A number of processes."""

    def __init__(self, default: int) -> None:
        super().__init__(int, default=default)

    def run_validation(self, value: object) -> int:
        """Accept a number that is not negative."""
        number = super().run_validation(value)
        if number < 0 or isinstance(value, bool):
            raise ValidationError(f"the option `jobs` of `acdl` cannot be {value!r}: expected a number, 0 or more")
        return number


class AcdlConfig(Config):  # type: ignore[no-untyped-call]  # the base class has no annotations here
    """Options under `plugins: - acdl:`."""

    show = c.Optional(SharedSetting())
    """What blocks show. Default: `both`, the figure, its source and its text."""
    range = c.Optional(SharedSetting())
    """Whether `range(a, b)` stops before `b` (`half-open`, the default) or at it (`inclusive`)."""
    theme = c.Optional(SharedSetting())
    """Colours of figures. Default: `auto`, those of the page."""
    width = c.Optional(SharedSetting())
    """Maximum width of figures, in px. Default: as wide as the longest line."""
    comments = c.Optional(SharedSetting())
    """Whether comments are drawn. Default: `true`."""
    header = c.Optional(SharedSetting())
    """Whether comments outside definitions are drawn too, such as those at the top of a file. Default: `false`."""
    excerpts = c.Optional(SharedSetting())
    """Whether the beginnings of recorded messages that refute a line are shown. Default: `true`."""
    explain = c.Optional(SharedSetting())
    """Whether figures have a view *In words*, with a sentence from `acdl explain` for each statement. Default: only
    the pages
    of specs have it."""
    show_warnings = c.Optional(SharedSetting())
    """Whether pages show warnings and notes as well as errors. The log always has all of them."""
    rule_url = c.Optional(SharedSetting())
    """Address of the page that explains a rule, with `{rule}` in place of its name. Without a host, it is a page of
    this site: `rules/{rule}/`."""
    source_url = c.Optional(SharedSetting())
    """Address of the repository's files: comments such as `// <- agent.py:40` become links to them."""
    rules = c.Optional(SharedSetting())
    """Severity of rules on this site: `unused-name: off`; also `note`, `warning` or `error`. It is better to set
    these and `range` in `acdl.toml` or `pyproject.toml`, where `acdl check` and editors find them too."""
    root = c.Optional(SharedSetting())
    """The project's folder, relative to the configuration file: paths in blocks and in these options are relative to
    it. Default: the folder of the configuration file if the pages are in it, or the nearest folder above the pages
    that has
    `pyproject.toml`, `.git` or a configuration."""
    watch = c.ListOfItems(c.Type(str), default=[])
    """Folders and files, relative to the project's folder, whose changes rebuild the site under `serve`. `examples`,
    if it exists, and every file named in a block are always watched."""
    script = c.Type(bool, default=True)
    """Whether pages load `acdl.js`: the switch between figure, source and text, the enlarged view, highlighting all
    uses of a name, hiding comments, the filter of galleries. Scripts are files of the site, not inline."""
    specs = c.ListOfItems(c.Type(str), default=[])
    """Folders of `.acdl` files, relative to the project's folder, whose specs get their own pages; also patterns,
    such as
    `examples/*.acdl`. Default: the `.acdl` files among the pages."""
    spec_pages = SiteFolder(default="specs")
    """Site folder for the pages of specs, with a gallery as its first page; empty for no pages."""
    playbooks = c.ListOfItems(c.Type(str), default=[])
    """Playbook files, relative to the project's folder, that get their own pages; also patterns, such as
    `playbooks/*.yaml`."""
    playbook_pages = SiteFolder(default="playbooks")
    """Site folder for the pages of playbooks; each playbook has its own subfolder."""
    downloads = c.ListOfItems(c.Choice(FORMATS), default=list(FORMATS))
    """Formats that readers can download for each spec: `acdl`, `svg`, `png`, `pdf`, `json`. PNG and PDF need extras
    of this package; without them, the formats are left out, and the log says how to install them."""
    fonts = c.ListOfItems(c.Type(str), default=[])
    """Font files, relative to the project's folder, for characters that the built-in font lacks in PNG and PDF, such
    as Chinese. The log warns about characters that no font has."""
    llms = c.Type(bool, default=False)
    """Whether the site has `llms.txt`, `llms-full.txt` and a Markdown version of each page, for language models."""
    playground = c.Optional(PlaygroundOption())
    """`true` gives the site a playground at `playground/`, a page where visitors write ACDL, and every figure a link
    that opens it there. It is bundled once, with Node.js and npm; the extra `playground` provides both. With the
    address of a playground on another site, figures only get the links."""
    cache = c.Type(bool, default=True)
    """Whether drawn blocks are kept between builds, [outside the project](#the-cache)."""
    jobs = JobsOption(default=0)
    """How many processes draw the new blocks of a build, at most: `0` is one for each core, but eight at most, `1` is
    the build alone. Another one is started for every 50 new blocks. The others begin with the last page, the build with
    the first. After a change of settings all blocks count as new. New spec files are read and files to download made
    in the same way, with one process for every three that have PNG or PDF files, or for every 50 others. Another one
    draws what the playground shows first, if 20 figures or more are new. The results are the same. Without `cache` and
    with `ACDL_NO_CACHE=1` it is always one, and with `--dirty` for blocks."""

    def add_to_settings(self, settings: Settings) -> Settings:
        """Return the extension's settings, overridden by those of the plugin; the site's playground comes first."""
        for name in SETTINGS:
            if self.get(name) is not None and (name, self[name]) != ("playground", True):
                settings = set_setting(settings, name, self[name])
        return settings

    def validate(self) -> tuple[ConfigErrors, ConfigWarnings]:
        """Refuse options that do not exist, and suggest a similar one."""
        names = [name for name, _ in self._schema]
        unknown = [name for name in self if name not in names]
        errors, warnings = super().validate()
        for name in unknown:
            near = find_closest(str(name), names)
            hint = f"did you mean `{near}`?" if near else f"the options are {', '.join(names)}"
            errors.append((str(name), ValidationError(f"`acdl` has no such option; {hint}")))
        return errors, [warning for warning in warnings if warning[0] not in unknown]
