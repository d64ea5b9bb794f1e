"""How readers find a page of our own site: questions for its search, and words for the list of rules."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ANSWERS = {
    "what is acdl": "learn/ten-minutes/",
    "install": "get-started/",
    "loop": "reference/language/",
    "foreach": "reference/language/",
    "window": "learn/ten-minutes/",
    "turns and steps": "reference/time/",
    "step by step": "write/steps/",
    "fragment another file": "write/fences/",
    "dark mode": "write/themes/",
    "print": "write/pictures/",
    "pdf paper": "write/pictures/",
    "gallery": "specs/",
    "sphinx": "tools/sphinx/",
    "docusaurus": "tools/embed/",
    "github actions": "tools/ci/",
    "vs code": "editors/vscode/",
    "coding agent": "tools/agents/",
    "compare two versions": "compare/",
    "pull request comment": "compare/pull-requests/",
    "record a run": "runs/record/",
    "playbook page": "playbook/page/",
    "tool calls": "pml/tools-and-calls/",
    "state file": "reference/state-files/",
    "cheat sheet": "reference/cheat-sheet/",
    "acdl check": "reference/cli/check/",
    "error": "write/errors/",
}
"""What is asked, and the page that should be the first result."""

SEARCH = """async questions => {
    const { base, search } = JSON.parse(document.getElementById("__config").textContent);
    const { config, docs } = await (await fetch(`${base}/search/search_index.json`)).json();
    const worker = new Worker(search);
    const ask = (message, type) => new Promise(resolve => {
        worker.onmessage = event => { if (event.data.type === type) resolve(event.data.data); };
        worker.postMessage(message);
    });
    await ask({ type: 0, data: { config, docs, options: {} } }, 1);
    const found = {};
    for (const question of questions) {
        const { items } = await ask({ type: 2, data: question }, 3);
        found[question] = items.length ? items[0][0].location.split("#")[0] : "";
    }
    return found;
}"""
"""Asks the worker of the theme, with the index of the site, as its search box does."""


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_the_right_page_comes_first(browser: "Browser", address: str) -> None:
    """Each question leads to the page that answers it."""
    page = browser.new_page()
    page.goto(f"{address}/get-started/")
    assert page.evaluate(SEARCH, [*ANSWERS]) == ANSWERS
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_rules_are_filtered(browser: "Browser", address: str) -> None:
    """The rules with all the words stay, under their headings; without scripts the list is complete."""
    page = browser.new_page()
    page.goto(f"{address}/reference/rules/")
    page.get_by_label("Filter").fill("Fragment  unused")
    assert page.locator(".acdl-catalogue tbody tr:visible").all_inner_texts()[0].startswith("unused-fragment")
    n_left = page.locator(".acdl-catalogue tbody tr:visible").count()
    n_rules = page.locator(".acdl-catalogue tbody tr").count()
    assert page.get_by_role("status").all_inner_texts() == [f"{n_left} of {n_rules} rules"]
    assert page.locator("h2:visible").count() == page.locator(".acdl-catalogue:visible").count() < 3
    page.get_by_label("Filter").fill("")
    assert page.locator(".acdl-catalogue tbody tr:visible").count() == n_rules > 100
    page.close()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/reference/rules/")
    assert page.locator(".acdl-catalogue tbody tr:visible").count() == n_rules
    assert page.get_by_label("Filter").count() == 0
    context.close()
