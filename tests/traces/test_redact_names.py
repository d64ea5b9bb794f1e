"""Secrets behind names go, and words that only speak of them stay: both matter, since contents are compared."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import (
    REDACTED,
    is_secret_name,
    may_have_secrets,
    redact_parsed,
    redact_repeated,
    redact_text,
    redact_value,
)
from traces.runs import found_in, lines, requests

LONG = "Zx9Qw3Rt7Yu2Kp5Lm8Nb4"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\nMIIEabcd1234hunter2/+=\nAB="
)
GO = {
    "letters-only": ('curl -H "Authorization: Bearer hunterabcdefghijklmnop" x', "hunterabc"),
    "short-basic": ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    "bare-basic": ("it sends Basic dXNlcjpwYXNz to it", "dXNlcjpwYXNz"),
    "no-scheme": ("authorization: hunter2hunter2", "hunter2"),
    "digest": ('Authorization: Digest username="a", response="hunter2"', "hunter2"),
    "header-option": ("-H 'x-api-key: hunter' -X POST", "hunter"),
    "indented": ("  x-api-key: hunter", "hunter"),
    "trace": ("> Cookie: sid=hunter; t=1", "hunter"),
    "empty-user": ("redis://:hunter2@host/0", "hunter2"),
    "at-in-it": ("postgres://admin:hun@ter2@host/db", "hun@"),
    "escaped-slashes": (r'{"a": "postgres:\/\/admin:hunter2@host", bad', "hunter2"),
    "form": ("https://x/?a=1&client_secret=hunter&b=2", "hunter"),
    "signature": (f"https://x/?X-Amz-Signature={LONG}", LONG),
    "connection": (f"AccountName=me;AccountKey={LONG}==;EndpointSuffix=core", LONG),
    "variable": ("PASSWORD=hunter2", "hunter2"),
    "export": ("export DB_PASSWORD=hunter", "hunter"),
    "inside": ("docker run -e MY_TOKEN=hunter image", "hunter"),
    "setting": ("api_key: hunter2", "hunter2"),
    "alone": ("host: x\n  password: hunter\n", "hunter"),
    "argument": ('connect(password="hunter", host="x")', "hunter"),
    "pwd": ("Server=x;Pwd=hunter22;Database=y", "hunter22"),
    "prose": ("my API key: hunter2abc", "hunter2abc"),
    "data-in-text": ('so: {"github_token": "hunter", …', "hunter"),
    "behind-underscore": (f"key_sk-ant-api03-{LONG}", LONG),
    "behind-escape": (rf'so: {{"a": "x\nsk-proj-{LONG}", …', LONG),
    "tavily": (f"tvly-dev-{LONG}", LONG),
    "cerebras": (f"csk-{LONG}", LONG),
    "encrypted": (f"{PEM}\n-----END RSA PRIVATE KEY-----", "hunter2"),
    "encrypted-cut": (PEM, "hunter2"),
    "own-name": ("PASSWORD=MySecretPassword", "MySecret"),
    "default": ("PASSWORD=${PASSWORD:-hunter2}", "hunter2"),
    "longer-than-looked-at": ("API_KEY=" + "hunter2x" * 100, "hunter2x"),
    "option": ("tool --password hunter2 --x", "hunter2"),
    "option-quoted": ("tool --api-key 'hunter2hunter' x", "hunter2"),
    "short-option": ("tool -token hunter2hunter2", "hunter2"),
    "curl": ("curl -sS -u admin:hunter https://x", "hunter"),
    "curl-user": ("curl --user 'admin:hunter' https://x", "hunter"),
    "sshpass": ("sshpass -p hunter ssh me@x", "hunter"),
    "mysql": ("mysql -u root -phunter db", "hunter"),
    "netrc": ("machine x.example login me password hunter", "hunter"),
    "go-address": ("me:hunter@tcp(127.0.0.1:3306)/db", "hunter"),
    "token-as-login": ("https://Zx9Qw3Rt7Yu2Kp5Lm8Nb4@sentry.example/1", "Zx9Qw3"),
    "element": ("<password>hunter</password>", "hunter"),
    "element-with-more": ('<ns:api-key kind="a">\n hunter2\n</ns:api-key>', "hunter2"),
    "attribute": ('<add key="DbPassword" value="hunter"/>', "hunter"),
    "input": ('<input type="password" value="hunter">', "hunter"),
    "pair-of-python": ("Headers([('host', 'x'), ('x-api-key', 'hunter2hunter2')])", "hunter2"),
    "pair-of-bytes": ("[(b'x-api-key', b'hunter2hunter2')]", "hunter2"),
    "dict-of-bytes": ("{b'x-api-key': b'hunter'}", "hunter"),
    "prose-is": ("The password is hunter2.", "hunter2"),
    "prose-was": ('my API key was "hunter2hunter"', "hunter2"),
    "html": ("&quot;password&quot;: &quot;hunter&quot;", "hunter"),
    "json-in-address": ("x?d=%7B%22password%22%3A%22hunter%22%7D", "hunter"),
    "one-word-name": ("PGPASSWORD=hunter psql", "hunter"),
    "npm": ("//registry.npmjs.org/:_authToken=hunter2hunter2", "hunter2"),
    "kubernetes": (f"    client-key-data: {LONG}", LONG),
}
"""Texts, and what must not be left of them."""
STAY = (
    "use --password to set one, or --api-key KEY",
    "docker run --user 1000:1000 x; curl is there",
    "curl -u name:<password> https://x",
    "<password>{{password}}</password>",
    "<token>a few words of a text</token>",
    '{"required": ["password", "email"]}',
    "('password', 'email')",
    "the password is required, and the token is 4096 long",
    "its secret is sha256",
    "the api key is in the settings",
    '<option id="token" value="all of them">',
    '{"pass": "true", "auth": "required", "passkey": "none"}',
    "login as me with a password",
    "https://a-host-that-has-a-very-long-name@v2",
    "git@github.com:a/b.git and https://x/@scope/package-with-a-long-name@2.0.0",
    "Basic information2processingsystem",
    "sk-learn-version-1-is-out-of-date",
    "see sk-estimators-2-and-friends",
    "Cookie: two eggs",
    "https://x/?key=chapter1",
    "def f(api_key: str, password: str = None): pass",
    "    api_key: str",
    "password = settings.password",
    'api_key=os.environ["KEY"]',
    "f(token=token, api_key=api_key)",
    "password: String!",
    "Password: incorrect",
    "Authorization: the process of deciding",
    "Authorization: Bearer token required",
    "Use `Authorization: Bearer <token>`",
    "API_KEY=your-api-key",
    "API_KEY=sk-...",
    "PASSWORD=${PASSWORD}",
    "PASSWORD=${{ secrets.PASSWORD }}",
    "password={password}",
    "token: 4096 and max_tokens=5",
    "the key: 123456789",
    "secret: the butler did it",
    "next_page_token: CAESBkFCQ0RFRjEyMzQ1Njc4",
    "bearer of-2-bad-news-and-more",
    "http://host:8080/a@b",
    "key: value, token: word",
    "self.token = access_token",
    "  credentials: OpenAICodexCredentials",
    "password = base64.b16encode(random_bytes[8:])",
    'password = ask_password("Password: ") or "none"',
    "https://user:password@host:80/path",
    "Client(api_key='test_api_key')",
    "id-token: write",
    "Authorization: Bearer ${API_KEY:?}",
    '{"Proxy-Authorization": "Basic <username>:<password>"}…',
)


@pytest.mark.parametrize(("text", "secret"), GO.values(), ids=GO.keys())
def test_goes(text: str, secret: str) -> None:
    """What is behind a name goes from texts and from data; a second time changes nothing; words before it stay."""
    found = redact_text(f"before\n{text}")
    assert found.startswith("before\n")
    assert secret not in found
    assert REDACTED in found
    assert redact_text(found) == found
    said = json.dumps({"text": text})
    assert may_have_secrets(said)
    for spelled in (said, said.replace("/", r"\/"), json.dumps({"text": said})):
        assert secret not in str(redact_parsed(json.loads(spelled), spelled))


@pytest.mark.parametrize("text", STAY)
def test_stays(text: str) -> None:
    """Two texts without secrets that are unlike must not be taken for equal."""
    assert redact_text(text) == text
    assert redact_value({"content": text}) == {"content": text}


@pytest.mark.parametrize(
    "name",
    [
        *("authorization_token", "OPENAI_API_KEY", "db_password", "github_token", "secretAccessKey", "SecretAccessKey"),
        *("SessionToken", "x-amz-security-token", "Ocp-Apim-Subscription-Key", "apiKey", "X-Auth-Token", "accesstoken"),
        *("http.request.header.authorization", "CLIENT_SECRET", "webhookSecret", "DB_PWD", "api_key_2"),
    ],
)
def test_secret_names(name: str) -> None:
    """The last words of a name say what it has, however it is spelled; it is seen in JSON, and in JSON inside JSON."""
    assert is_secret_name(name)
    value: Json = {"servers": [{name: "hunter"}]}
    for said in (json.dumps(value), json.dumps(json.dumps(value))):
        assert "hunter" not in str(redact_parsed(json.loads(said), said))


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "next_page_token", "pad_token", "prompt_cache_key", "signature", "key", "tokens", "public_key"],
)
def test_other_names(name: str) -> None:
    """Counts, places in lists and keys of other kinds are compared."""
    assert not is_secret_name(name)
    assert redact_value({name: "CAESBkFCQ0RFRjEyMzQ1"}) == {name: "CAESBkFCQ0RFRjEyMzQ1"}


PAIRS: dict[str, Json] = {
    "headers": [["host", "x"], ["x-api-key", "hunter"]],
    "values": {"name": "x-api-key", "values": ["hunter"]},
    "cloud": {"Name": "API_KEY", "Value": "hunter"},
    "formation": {"ParameterKey": "DbPassword", "ParameterValue": "hunter"},
    "key-before-name": {"name": "variable", "key": "password", "value": "hunter"},
    "command": ["tool", "--password", "hunter"],
    "field": {"element": "Password of the account", "ref": "e4", "text": "hunter"},
    "form": {"fields": [{"name": "Your password", "type": "textbox", "value": "hunter"}]},
    "selector": {"selector": "input[type=password]", "value": "hunter"},
    "docker": {"auths": {"x": {"auth": "bWU6aHVudGVy"}}},
    "inside": {"credentials": {"user": "me", "pass": "hunter2hunter"}},
}
"""Names and values that programs and their tools write beside each other."""


@pytest.mark.parametrize("value", PAIRS.values(), ids=PAIRS.keys())
def test_pairs(value: Json) -> None:
    """The value goes, in JSON inside JSON and in what is said again as well."""
    more: Json = [{"content": "hi"}, value]
    for spelled in (json.dumps(more), json.dumps(json.dumps(more))):
        found = json.dumps(redact_parsed(json.loads(spelled), spelled))
        assert REDACTED in found
        assert not any(each in found for each in ("hunter", "bWU6aHVudGVy"))
    before: Json = [{"content": "hi"}]
    assert redact_repeated(more, before, redact_value(before)) == redact_value(more)
    assert redact_value(redact_value(more)) == redact_value(more)


@pytest.mark.parametrize(
    "value",
    [
        ["password", "email"],
        {"required": ["token", "password"]},
        {"type": "function_call", "name": "reset_password", "arguments": "{}"},
        {"role": "tool", "name": "get_api_key", "text": "It is in the settings."},
        [["a", "b"], ["password", {"type": "string"}]],
        ["--token", "$TOKEN", "-v", "--password-file", "a/b"],
        {"label": "Name", "value": "hunter"},
        {"auth": "bearer", "pass": "yes"},
    ],
)
def test_no_pairs(value: Json) -> None:
    """Lists of names, calls and fields of other kinds stay."""
    assert redact_value(value) == value


@pytest.mark.parametrize(
    "value",
    ["$uperS3cret", "%aB3!kkk", "***hunter2***", "exampleR3alKey99", "yourR3alKey", "<a>b", 123456, 1.5, "x"],
)
def test_values(value: Json) -> None:
    """A value is a placeholder as a whole or not at all; numbers and lists are values too."""
    assert redact_value({"password": value}) == {"password": REDACTED}
    assert redact_value({"password": [value]}) == {"password": [REDACTED]}
    assert redact_value({"name": "X-Api-Key", "value": value}) == {"name": "X-Api-Key", "value": REDACTED}
    assert redact_value({"key": "Authorization", "value": {"stringValue": value}})["value"] == {"stringValue": REDACTED}  # type: ignore[call-overload,index]


@pytest.mark.parametrize(
    "value", ["$API_KEY", "${API_KEY}", "<your key>", "...", "YOUR_KEY", "sk-xxxx", "*****", "{key}", "", True, None]
)
def test_placeholders(value: Json) -> None:
    """What stands for a secret is a part of the spec."""
    assert redact_value({"password": value, "api_key": [value]}) == {"password": value, "api_key": [value]}


def test_names_of_other_things() -> None:
    """A name that can mean something else has a secret if its value looks so."""
    assert redact_value({"cookie": "chocolate", "secret": "patience"}) == {"cookie": "chocolate", "secret": "patience"}
    assert redact_value({"token": "Hello2world", "logprob": -1.5}) == {"token": "Hello2world", "logprob": -1.5}
    assert redact_value({"token": "hunter2", "secret": "hunter2"}) == {"token": REDACTED, "secret": REDACTED}
    assert redact_value({"cookies": {"sid": "abc"}, "Cookie": "sid=abc"}) == {
        "cookies": {"sid": REDACTED},
        "Cookie": REDACTED,
    }
    named: Json = [{"name": "sid", "value": "abc"}]
    assert redact_value({"cookies": named}) == {"cookies": [{"name": "sid", "value": REDACTED}]}


@pytest.mark.parametrize(
    "text",
    [
        f"shpat_{'0a1b2c3d' * 4}token: {LONG}: so",
        'Authorization: Digest username="a", response="f00"key_sk-ant-api03-',
        "password=123456API_KEY=sk-...api_key: hunter2",
    ],
)
def test_twice(text: str) -> None:
    """Readers take out of a recording what its recorder took out: nothing more, or a known text would not be in it."""
    found = redact_text(text)
    assert found != text
    assert redact_text(found) == found


def test_keys_that_are_taken_out() -> None:
    """Two keys of an object that are secrets stay two, and so does one that is called so already."""
    value: Json = {f"sk-ant-api03-{LONG}a": 1, REDACTED: 2, f"sk-ant-api03-{LONG}b": 3}
    found = redact_value(value)
    assert found == {f"{REDACTED} 2": 1, REDACTED: 2, f"{REDACTED} 3": 3}
    assert redact_value(found) == found


def test_escaped_slashes_in_a_recording(tmp_path: Path) -> None:
    """JSON may have a backslash before each slash, as some loggers write it."""
    line = lines({"messages": [{"role": "user", "content": "postgres://admin:hunter2@host"}]}).replace("/", r"\/")
    (found,) = requests(found_in(tmp_path / "run.jsonl", line))
    assert "hunter2" not in repr(found)
    assert REDACTED in repr(found.request)


def test_unlike_texts_are_unlike(tmp_path: Path) -> None:
    """What looks a little like a key does not make a message equal to another one."""
    said = ("see sk-estimators-2-and-friends", "see sk-learn-version-1-is-out-of-date")
    bodies: list[Json] = [{"messages": [{"role": "user", "content": text}]} for text in said]
    one, other = requests(found_in(tmp_path / "run.jsonl", lines(*bodies)))
    assert one.request != other.request
