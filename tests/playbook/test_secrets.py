"""Which texts have secrets."""

import pytest

from acdl_mkdocs.playbook.model.content import find_secrets

# Written in two halves so that scanners of this repository do not find them.
LEAKED = {
    "Call it with AKIA" + "IOSFODNN7EXAMPLE.": "AWS access key",
    "export GH=ghp_" + "a1B2" * 9: "GitHub token",
    "github_pat_" + "11ABCDEFG0123456789abc": "GitHub token",
    "use sk-" + "abcdefghijklmnopqrstuvwx": "OpenAI key",
    "use sk-proj-" + "Abc123-Def456_Ghi789": "OpenAI key",
    "use sk-ant-" + "api03-Abc123Def456Ghi789": "Anthropic key",
    "xoxb-" + "123456789012-abcdefghij": "Slack token",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuvw": "Google key",
    "-----BEGIN RSA " + "PRIVATE KEY-----": "private key",
    "-----BEGIN PRIVATE " + "KEY-----": "private key",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w": "JSON web token",
    "postgres://admin:" + "s3cr3tpw@db.example.com/x": "password in an address",
    "the password is " + "hunter2": "password or key",
    "password=" + "Tr0ub4dor&3": "password or key",
    "The API token is a1b2c3d4" + "e5f6a7b8c9d0.": "password or key",
    "The password is `x1y2" + "z3a4`.": "password or key",
    "Send bearer abcDEF0123" + "456789ghiJKL.": "bearer token",
    'api_key: "' + '9f8e7d6c5b4a39281706"': "password or key",
    "Authorization: Bearer " + "abcDEF0123456789ghiJKL": "bearer token",
    "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc": "Stripe key",
}
HARMLESS = (
    "Never put a password into a prompt; read it from the environment.",
    "Set `api_key=os.environ['API_KEY']`.",
    "password=<your-password>",
    "token: max_tokens=2000",
    "The scikit package sk-learn is imported as sklearn.",
    "Use auth: oauth2 and secret: sha256 digests.",
    "credentials: rotate-after-90-days",
    "Risk-based task-scheduling-with-many-hyphenated-words is slow.",
    "The revision is 3b5c9d1e7f0a8b6c4d2e.",
    "Set token_count=4096.",
    "The token is `settings.token1`.",
    "The token is abc123def456...",
)


@pytest.mark.parametrize(("text", "kind"), LEAKED.items(), ids=range(len(LEAKED)))
def test_secret_is_found(text: str, kind: str) -> None:
    """A secret is found by its shape, or by what stands before it, and named by its kind."""
    assert kind in find_secrets(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_secrets_is_none(text: str) -> None:
    """A lesson about secrets has none."""
    assert find_secrets(text) == ()
