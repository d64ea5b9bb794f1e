"""Keys and passwords never leave the readers."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from exhaustive import few
from steps import soon

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.secrets import SHAPES
from acdl_mkdocs.playbook.model.content import find_secrets
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.redact import REDACTED, may_have_secrets, redact_text, redact_value
from traces.runs import found_in, lines, requests, user
from traces.sent import checked
from traces.test_read_har import entry as har_entry
from traces.test_read_har import har
from traces.test_read_otlp import span, trace

PARTS = ("Zx9", "Qw3", "Rt7", "Yu2", "Kp5", "Lm8", "Nb4", "Vc6", "Df1", "Gh0")
LONG = "".join(PARTS)
"""Thirty characters, as chance makes them."""
SECRETS = {
    "openai": f"sk-proj-{LONG}",
    "anthropic": f"sk-ant-api03-{LONG}",
    "google": f"AIza{LONG}Abcd9",
    "aws": "AKIA" + "Q3EGWZ7Y" * 2,
    "github": f"ghp_{LONG}abcdef",
    "hugging-face": f"hf_{LONG}",
    "stripe": f"sk_live_{LONG}",
    "jwt": f"eyJhbGciOiJ9.eyJ{LONG}.{LONG}",
    "bearer": f"Bearer {LONG}",
    "query": f"https://g.example/v1/models?alt=sse&key={LONG}",
    "login": f"postgres://admin:{LONG}@db.example/main",
    "json": json.dumps({"password": LONG}),
    "header": f"x-api-key: {LONG}",
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{LONG}\n-----END RSA PRIVATE KEY-----",
}
HEX = "0a1b2c3d" * 8
KINDS = {
    "private key": SECRETS["private-key"],
    "private key in base64": f"LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{LONG}==",
    "private key of age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF" * 5,
    "key of a model provider": f"xai-{LONG}{LONG}",
    "Vault or Doppler token": f"hvs.{LONG}",
    "Linear, Notion or Figma token": f"lin_api_{LONG}",
    "Grafana, Sentry or Atlassian token": f"glsa_{LONG}_0a1b2c3d",
    "Databricks, PlanetScale or Supabase token": f"dapi{HEX[:32]}",
    "Docker token": f"dckr_pat_{LONG}",
    "token of a bot": f"123456789:AA{LONG}xyz",
    "hash of a password": f"$6$saltsalt${LONG}/.",
    "AWS access key": SECRETS["aws"],
    "GitHub token": SECRETS["github"],
    "GitLab token": f"glpat-{LONG}",
    "Anthropic key": SECRETS["anthropic"],
    "OpenAI key": SECRETS["openai"],
    "Slack token": "https://hooks.slack.com/services" + "/T0AB/B1CD/" + "e2FG",
    "Google key": SECRETS["google"],
    "Stripe key": SECRETS["stripe"],
    "Hugging Face token": SECRETS["hugging-face"],
    "npm or PyPI token": f"npm_{LONG}abcdef",
    "NVIDIA key": f"nvapi-{LONG}",
    "SendGrid key": f"SG.{LONG[:22]}.{LONG}",
    "LangSmith key": f"lsv2_pt_{LONG}_{LONG[:10]}",
    "DigitalOcean token": "dop_v1_" + "0a1b2c3d" * 8,
    "Shopify token": "shpat_" + "0a1b2c3d" * 4,
    "JSON web token": SECRETS["jwt"],
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_texts(text: str) -> None:
    """A secret in the midst of words goes, the words stay; going through it twice changes nothing more."""
    found = redact_text(f"before\n{text}\nafter")
    assert LONG[:12] not in found
    assert "Q3EGWZ7Y" not in found
    assert REDACTED in found
    assert found.startswith("before")
    assert found.endswith("after")
    assert redact_text(found) == found


@pytest.mark.parametrize(
    "text",
    [
        "Use the header `Authorization: Bearer $API_KEY`.",
        '{"api_key": "<your key>"}',
        '{"password": "..."}',
        "curl https://x.example/?key=YOUR_KEY",
        "a task-oriented skill, basic authentication, a bearer of bad news",
        "sk-learn-contrib-and-other-names",
        "xai-is-a-company-and-its-key-begins-so pplx-70b-online r8_short gsk_ dapi hvs.",
        "a row costs $2a$ or $6$, and $argon2",
        "max_tokens is the number of tokens: 4096",
        "the secret of the token economy",
        "https://x.example:8080/path@v1",
    ],
)
def test_words_stay(text: str) -> None:
    """What only speaks of secrets, and placeholders for them, are left alone."""
    assert redact_text(text) == text


def test_names() -> None:
    """What stands under a name of a secret goes if it is a text; a schema that has such a name stays."""
    value: Json = {
        "Authorization": "abc",
        "X-Api-Key": "abc",
        "api_key": "abc",
        "max_tokens": 5,
        "properties": {"password": {"type": "string"}},
        "nested": [{"client_secret": "abc"}, {"refresh_token": ""}],
    }
    assert redact_value(value) == {
        "Authorization": REDACTED,
        "X-Api-Key": REDACTED,
        "api_key": REDACTED,
        "max_tokens": 5,
        "properties": {"password": {"type": "string"}},
        "nested": [{"client_secret": REDACTED}, {"refresh_token": ""}],
    }


@pytest.mark.parametrize(
    "unit",
    few(
        [
            "sk-",
            "sk-a",
            "eyJ-",
            "eyJaaaaaaaa.",
            "bearer ",
            "bearer a",
            "://a:",
            "://a:b",
            '"password": "',
            "?key=",
            "xoxb-",
            "api_key: ",
            "api_key=a",
            "password='a\"",
            "?password=$A&",
            "authorization: a=",
            "authorization: basic ",
            "cookie: a",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMIIEabcdefgh",
            "-----BEGIN PRIVATE KEY-----1\t",
            "%22sk-ant-",
            "--password ",
            "--password 'a",
            "<password ",
            "<password>a",
            "<password>",
            "name='password' value='",
            "('password', 'a",
            "the password is a",
            "curl -u a:",
            "curl ",
            "mysql -p",
            "login a password ",
            "a:b@tcp(password",
            "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "$6$aaaaaaaaaa",
            "eyJaaaaaaaa.a.",
        ],
        5,
    ),
)
def test_time_is_linear(unit: str) -> None:
    """Text that nearly looks like secrets, over and over, takes no longer than other text."""
    text = unit * (1_000_000 // len(unit))
    soon(partial(redact_text, text))


OTHER_KEYS = (
    f"gsk_{LONG}",
    f"pplx-{LONG}{LONG}",
    f"r8_{LONG}",
    f"pcsk_{LONG}_{LONG}",
    f"tgp_v1_{LONG}",
    f"dp.st.dev.{LONG}",
    f"ntn_{LONG}{LONG}",
    f"figd_{LONG}",
    f"sntrys_eyJ{LONG}",
    f"ATATT3{LONG}{LONG}",
    f"pscale_tkn_{LONG}",
    f"sbp_{HEX[:40]}",
    f"glrt-{LONG}",
    f"xapp-1-A0123-{LONG}",
    f"sk-lf-{LONG}",
    f"https://discord.com/api/webhooks/123456789012/{LONG}{LONG}",
    f"$argon2id$v=19$m=65536,t=3,p=4${LONG}",
    f"$2b$12${LONG}",
    f"eyJhbGciOiJkaXIifQ..{LONG}.{LONG}.{LONG}",
)


@pytest.mark.parametrize("text", OTHER_KEYS)
def test_other_shapes(text: str) -> None:
    """Other keys that have a shape, of which several kinds are one."""
    found = redact_text(f"a {text} b")
    assert not any(part in found for part in (LONG[:12], HEX[:12]))
    assert found.endswith(f"{REDACTED} b")
    assert may_have_secrets(text)


@pytest.mark.parametrize(
    "begin",
    ["%22", "%3D", "=3D", r"\u0022", r"\x22", "\x1b[32m", "[0m", "[1;31m", "\\n", "&quot;", "Bearer%20", "é", "_"],
)
@pytest.mark.parametrize("kind", ["anthropic", "github", "aws", "jwt"])
def test_keys_behind_codes(kind: str, begin: str) -> None:
    """Addresses, mails, colours of a terminal and escapes put a letter or a digit before a key."""
    if begin == "_" and kind == "jwt":
        return  # it may be the midst of another token
    assert redact_text(f"a{begin}{SECRETS[kind]}") == f"a{begin}{REDACTED}"


@pytest.mark.parametrize(
    "begin", ["{}", "    {}", "> {}", "+{}", "     {n}→{}", "{n}\t{}", "{n}: {}", "{n:>4} | {}"], ids=str
)
@pytest.mark.parametrize("is_whole", [True, False])
def test_private_keys_as_programs_show_them(begin: str, is_whole: bool) -> None:
    """Numbered, quoted and indented lines of a private key are its lines, also where a program has cut it."""
    lines = ["-----BEGIN RSA PRIVATE KEY-----", LONG * 2, LONG * 2 + "==", "-----END RSA PRIVATE KEY-----"]
    shown = "\n".join(begin.format(line, n=n) for n, line in enumerate(lines if is_whole else lines[:3], 1))
    assert LONG not in redact_text(f"see\n{shown}\n")


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("is_ascii", [True, False])
def test_quick_look(text: str, is_ascii: bool) -> None:
    """No text with a secret is passed over by the quick look, also as JSON and as JSON inside JSON."""
    once = json.dumps({"text": f"é {text}"}, ensure_ascii=is_ascii)
    assert may_have_secrets(once)
    assert may_have_secrets(json.dumps(once, ensure_ascii=is_ascii))


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_nothing_recorded_has_them(text: str, tmp_path: Path) -> None:
    """Secrets in messages, settings, arguments and replies do not come out of a reader, however bodies are spelled."""
    function: Json = {"name": "f", "arguments": json.dumps({"q": text, "password": LONG})}
    body: Json = {
        "api_key": LONG,
        "messages": [
            {"role": "user", "content": text},
            {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        ],
    }
    reply: Json = {"choices": [{"message": {"content": text}}]}
    spellings: list[Json] = [body, json.dumps(body), json.dumps(json.dumps(body))]
    for spelled in spellings:
        value: Json = {"request": {"headers": {"Authorization": LONG}, "body": spelled}, "response": reply}
        (found,) = requests(found_in(tmp_path / "run.jsonl", lines(value)))
        assert found.problems == () or all(each.is_advice for each in found.problems)
        assert len(found.request.messages) == 2
        assert LONG[:12] not in repr(found)
        assert "Q3EGWZ7Y" not in repr(found)


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_other_readers(text: str, tmp_path: Path) -> None:
    """The same of browsers' logs, of traces and of documents."""
    body = json.dumps({"messages": [{"role": "user", "content": text}], "api_key": LONG})
    entry = har_entry(f"https://x.example/v1/messages?key={LONG}", {"text": body}, response={"content": {"text": body}})
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": text}]}])
    document = str(WIRES["pml"].write(Prompt((user(text),))).body)
    texts = [har(entry), lines(trace(span({"gen_ai.input.messages": messages}))), document, lines({"body": document})]
    for number, written in enumerate(texts):
        (found,) = requests(found_in(tmp_path / f"run{number}", written))
        assert found.request.messages[0].role == "user"
        assert REDACTED in repr(found.request)
        assert LONG[:12] not in repr(found)
        assert "Q3EGWZ7Y" not in repr(found)


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_known_texts_are_compared_as_recorded(text: str, tmp_path: Path) -> None:
    """A secret in a state or in the spec agrees with the recorded message that it was taken out of."""
    state = json.dumps({"env": {"q": {"1": f"use {text} now"}}})
    body: Json = {"messages": [{"role": "user", "content": f"use {text} now"}]}
    run = [replace(each, at=Time((1,))) for each in requests(found_in(tmp_path / "run.jsonl", lines(body)))]
    found = checked("Chat[@T]: {\n    U: env.q[@T]\n}", *run, state=state)
    assert [(line.verdict, line.counterexample) for line in found.lines] == [("confirmed", None)]
    other: Json = {"messages": [{"role": "user", "content": f"use {text} later"}]}
    run = [replace(each, at=Time((1,))) for each in requests(found_in(tmp_path / "run.jsonl", lines(other)))]
    assert checked("Chat[@T]: {\n    U: env.q[@T]\n}", *run, state=state).is_refuted


@pytest.mark.parametrize("kind", SHAPES)
def test_one_table(kind: str) -> None:
    """What those find who refuse secrets is what is taken out, to its end."""
    text = f"it is {KINDS[kind]} here"
    assert kind in find_secrets(text)
    assert redact_text(text).replace("https://", "") == f"it is {REDACTED} here"
