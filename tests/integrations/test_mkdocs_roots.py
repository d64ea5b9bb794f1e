"""Where paths of a MkDocs site begin, and files of other plugins among those that its pages are made of."""

import logging
import re
from pathlib import Path

import pytest
from mkdocs.exceptions import Abort

from integrations.mkdocs_site import CHAT, GREETING, Site


def test_root_of_a_project(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Paths of options and of blocks begin at the folder that the site names; the log says where others differ."""
    caplog.set_level(logging.INFO, "mkdocs.plugins.acdl")
    for path in ("specs/chat.acdl", "specs/deep/greeting.acdl"):
        (site.root / path).rename(site.root / "docs" / Path(path).name)
    site.options |= {"root": "docs", "specs": ["*.acdl"]}
    site.write("docs/index.md", '[[acdl:Chat]]\n\n```acdl src="chat.acdl"\n```\n')
    site.build()
    assert 'id="Chat"' in site.html()
    assert "`acdl check` and editors" in caplog.text
    caplog.clear()
    site.write("docs/acdl.toml", "root = true\n")
    site.build()
    assert "`acdl check` and editors" not in caplog.text


def test_root_that_is_no_folder(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """It is refused with its place and a cure."""
    site.options["root"] = "nowhere"
    with pytest.raises(Abort):
        site.build()
    assert re.search(r"the option `root` of `acdl` names .*nowhere, which is not a folder; write its path", caplog.text)


def test_spec_files_of_other_plugins(site: Site) -> None:
    """A spec file and a page that a plugin adds late are seen: the one gets a page, the other is taken for one."""
    site.write(
        "late.py",
        "from mkdocs.structure.files import File\n"
        "def on_files(files, config):\n"
        "    more = {'late.acdl': 'Late[@T]: { U: env.q[@T] }\\n', 'specs/Chat.md': '# Mine\\n'}\n"
        "    for name, text in more.items():\n"
        "        if file := files.get_file_from_path(name):\n"
        "            files.remove(file)\n"
        "        files.append(File.generated(config, name, content=text))\n"
        "        if name.endswith('.acdl'):\n"
        "            path = config.config_file_path + '.' + name\n"
        "            open(path, 'w').write(text)\n"
        "            files.get_file_from_path(name).abs_src_path = path\n"
        "    return files\n",
    )
    site.config["hooks"] = ["late.py"]
    del site.options["specs"]
    site.write("docs/chat.acdl", CHAT)
    site.write("docs/greeting.acdl", GREETING)
    site.build()
    assert "<svg" in site.html("specs/Late/index.html")
    assert "<svg" in site.html("specs/Greeting/index.html")
    assert "Mine" in site.html("specs/Chat/index.html")
