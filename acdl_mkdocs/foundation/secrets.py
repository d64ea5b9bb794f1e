"""The looks of secrets: their shapes by kind, their names, and whether a value can be one.

The one table for code that refuses secrets and code that redacts them. A shape covers the whole secret, and every
pattern takes time that is linear in the text.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["", "secret", "likely", "login", "cookie"]
"""The kind of value to expect under a name: nothing of interest, always a secret, a secret if it looks like one,
perhaps a name and a password in base64, or cookies."""
LONGEST = 80
"""Characters of a name."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = re.compile(
    r".*pass(?:word|wd|phrase)s?(?:-[0-9]+)?|(?:.*-)?(?:authorization(?:-?token)?|secret-?access-?key"
    r"|(?:api|secret|private|access|account|subscription|signing|encryption|master|shared|service)-?keys?"
    r"|(?:client|private)-key-data"
    r"|(?:access|refresh|session|auth|id|bearer|api)token|(?:client|app|consumer)secret)(?:-[0-9]+)?"
    r"|.+-(?:pwd|secret|token)(?:-[0-9]+)?"
)
_LIKELY = re.compile(r"token|secrets?|pwd|credentials?|pass|passcode|passkey|jwt|(?:.*-)?ssh-key")
_LOGIN = re.compile(r"auth|.*-auth")
_COOKIE = re.compile(r"(?:.*-)?cookies?")
_NO_SECRET = re.compile(
    r"(?:.*-)?(?:page|next|prev|previous|first|last|current|cursor|continuation|resume|sync|watch|change|delta|pad|eos"
    r"|bos|unk|mask|sep|cls|stop|start|begin|end|special|image|audio|input|output|max|min|per|by|single|each|design"
    r"|cancellation|count|num|top|new)-token"
)
"""Places in lists, and pieces of text for a model."""


def is_secret_name(name: str) -> bool:
    """Return whether the name of a header or key implies that its value is always a secret."""
    return classify_name(name) == "secret"


def classify_name(name: str) -> Kind:
    """Classify the value to expect under a name."""
    return _classify_name(name) if len(name) <= LONGEST else ""


@lru_cache(maxsize=4096)
def _classify_name(name: str) -> Kind:
    words = "-".join(_WORD.findall(name)).lower()
    if _NO_SECRET.fullmatch(words):
        return ""
    if _SECRET.fullmatch(words):
        return "secret"
    if _LIKELY.fullmatch(words):
        return "likely"
    if _LOGIN.fullmatch(words):
        return "login"
    return "cookie" if _COOKIE.fullmatch(words) else ""


REDACTED = "[redacted]"
_PLACEHOLDER = re.compile(
    r"(?:(?:bearer|basic|token)\s+)?(?:<[^<>]*>(?::<[^<>]*>)?|\{\{[^{}]*\}\}|\{[^{}]*\}|\$\{\{[^{}]*\}\}|(?-i:\$[A-Z_][A-Z0-9_]*)"
    r"|(?-i:\$\{[A-Z_][A-Z0-9_]*(?::?[?-])?\})|%(?-i:[A-Z_]+)%|%\([a-z_]+\)s|%s|(?:[a-z]{1,8}[-_]){0,3}(?:x{3,}|\.{2,}|…|\*+)|[_*.-]+"
    r"|(?:your|my|the|insert|enter|replace)[-_ ][a-z_ -]*|\[?redacted\]?(?: [0-9]+)?|changeme|change[-_]me|placeholder"
    r"|example(?:[-_ ]?(?:key|token|secret|password|value))?|none|null|true|false)",
    re.IGNORECASE,
)
"""A complete placeholder for a secret, which a spec or its documentation may contain."""
_DESCRIPTIONS = frozenset(
    (
        *(
            "str",
            "string",
            "text",
            "bytes",
            "int",
            "integer",
            "number",
            "bool",
            "boolean",
            "any",
            "varchar",
            "secretstr",
        ),
        *("optional", "required", "hidden", "secret", "token", "password", "passwd", "pass", "pwd", "key", "value"),
        *("header", "undefined", "nil", "bearer", "basic", "digest", "auth", "authentication", "authorization"),
        *(
            "credentials",
            "needed",
            "missing",
            "invalid",
            "incorrect",
            "correct",
            "wrong",
            "expired",
            "valid",
            "changed",
        ),
        *("reset", "unknown", "empty", "denied", "granted", "failed", "success", "self", "read", "write", "tokens"),
    )
)
"""Words about a secret in prose, programs and settings that are none."""
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_WORD_WITH_NUMBER = re.compile(r"[A-Za-z]+[0-9]{1,3}")
_NO_LETTER_OR_DIGIT = re.compile(r"[^A-Za-z0-9]+")
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
_COOKIES = re.compile(r"\s*[\w!#$%&'*.^|~+-]{1,100}=\S")
_LOCATION = re.compile(r"[~.]{0,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]{1,20}://")
_LEAST_PART, _LONG_PART, _LEAST_LIKELY, _LONG_LIKELY = 8, 20, 6, 16


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder for a secret."""
    return _PLACEHOLDER.fullmatch(value.strip()) is not None


def is_description(value: str) -> bool:
    """Return whether a text describes a secret instead of being one."""
    return is_placeholder(value) or _SCHEME.sub("", value.lower(), count=1) in _DESCRIPTIONS


def has_digit(value: str) -> bool:
    """Return whether there is a digit in a value."""
    return _DIGIT.search(value) is not None


def is_random(value: str) -> bool:
    """Return whether a value looks random: a part of it mixes letters and digits as no word does, or is very long."""
    return any(_is_random_part(part) for part in _NO_LETTER_OR_DIGIT.split(value))


def _is_random_part(part: str) -> bool:
    if len(part) >= _LONG_PART:
        return True
    is_mixed = has_digit(part) and _LETTER.search(part) is not None
    return len(part) >= _LEAST_PART and is_mixed and not _WORD_WITH_NUMBER.fullmatch(part)


def is_secret(value: str, kind: Kind) -> bool:
    """Return whether a value under a name of this kind is a secret."""
    if not kind or not value or is_placeholder(value):
        return False
    if kind == "login":
        return is_login(value)
    if kind == "cookie":
        return _COOKIES.match(value) is not None
    return kind == "secret" or is_likely(value)


def is_login(value: str) -> bool:
    """Return whether a value is a name and a password in base64."""
    try:
        text = base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    return ":" in text and text.isprintable()


def is_likely(value: str) -> bool:
    """Return whether a value is a single unusual word and no path or address."""
    if any(each.isspace() for each in value) or _LOCATION.match(value):
        return False
    is_mixed = has_digit(value) and _LETTER.search(value) is not None
    return len(value) >= _LONG_LIKELY or (len(value) >= _LEAST_LIKELY and is_mixed)


_BEGIN = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[%=][0-9A-Fa-f][0-9A-Fa-f])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=[0-9\[]m))"
)
"""Before a key: no letter and no digit, unless it is that of an escape in JSON, an address or a mail, or of a colour of
a terminal."""
_IN_PEM = r"(?>(?:\s++|\\[nrt]|[>|+→:]|(?<![A-Za-z0-9+/=])[0-9]{1,6}(?=[→|:\t ]))*)"
"""Between the lines of a private key, which may be numbered, quoted or part of a difference."""

SHAPES: Mapping[str, str] = {
    "private key": r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?>(?:[^-]|-(?!----)){0,20000})-----END [A-Z0-9 ]{0,40}-----"
    r"|(?:(?>(?:" + _IN_PEM + r"(?:[A-Z][A-Za-z-]{3,20}: [^\n\\]{1,100}|[A-Za-z0-9+/=]{12,}+))+)"
    r"(?:\s[A-Za-z0-9+/=]{1,11}\Z)?)?)",
    "private key in base64": r"LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVO|BFTkNS)[A-Za-z0-9+/]{20,}+=*",
    "private key of age": _BEGIN + r"AGE-SECRET-KEY-1[A-Z0-9]{40,}+",
    "AWS access key": _BEGIN + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "GitHub token": _BEGIN + r"(?:gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+)",
    "GitLab token": _BEGIN + r"gl(?:pat|rt|dt)-[A-Za-z0-9_-]{20,}+",
    "Anthropic key": _BEGIN + r"sk-ant-[A-Za-z0-9_-]{20,}+",
    "OpenAI key": _BEGIN + r"sk-(?:[A-Za-z0-9]{20,}+|(?:proj|svcacct|admin|or-v1|live|test|lf)-[A-Za-z0-9_-]{16,}+)",
    "Slack token": _BEGIN + r"(?:xox[abeoprs]|xapp-[0-9])-[A-Za-z0-9-]{10,}+|hooks\.slack\.com/services/T\w+/B\w+/\w+",
    "Google key": _BEGIN + r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}+)",
    "Stripe key": _BEGIN + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    "Hugging Face token": _BEGIN + r"hf_[A-Za-z0-9]{30,}+",
    "npm or PyPI token": _BEGIN + r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+)",
    "key of a model provider": _BEGIN
    + r"(?:(?:xai|pplx)-[A-Za-z0-9]{40,}+|(?:gsk|r8|pcsk|tgp_v1)_[A-Za-z0-9_-]{30,}+)",
    "Vault or Doppler token": _BEGIN + r"(?:hvs\.[A-Za-z0-9_-]{24,}+|dp\.[ps]t\.[A-Za-z0-9._-]{30,}+)",
    "Linear, Notion or Figma token": _BEGIN
    + r"(?:lin_api_[A-Za-z0-9]{30,}+|ntn_[A-Za-z0-9]{40,}+|figd_[A-Za-z0-9_-]{30,}+)",
    "Grafana, Sentry or Atlassian token": _BEGIN
    + r"(?:glsa_[A-Za-z0-9]{30,}+_[a-f0-9]{8}|sntry[su]_[A-Za-z0-9+/=_-]{30,}+|ATATT3[A-Za-z0-9_=-]{50,}+)",
    "Databricks, PlanetScale or Supabase token": _BEGIN
    + r"(?:dapi[a-f0-9]{32}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{30,}+|sbp_[a-f0-9]{40})",
    "Docker token": _BEGIN + r"dckr_[po]at_[A-Za-z0-9_-]{20,}+",
    "token of a bot": r"(?<![A-Za-z0-9:])(?:bot)?[0-9]{8,12}:AA[A-Za-z0-9_-]{33}"
    r"|(?<=/api/webhooks/)[0-9]{10,25}/[A-Za-z0-9_-]{50,}+",
    "hash of a password": r"\$(?:2[aby]|6|y|argon2id?)\$[A-Za-z0-9./=$,+-]{20,}+",
    "NVIDIA key": _BEGIN + r"nvapi-[A-Za-z0-9_-]{20,}+",
    "SendGrid key": _BEGIN + r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}+",
    "LangSmith key": _BEGIN + r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{16,}+",
    "DigitalOcean token": _BEGIN + r"do[opr]_v1_[a-f0-9]{32,}+",
    "Shopify token": _BEGIN + r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+",
    "JSON web token": r"(?:(?:" + _BEGIN + r"(?<![_-]))eyJ[A-Za-z0-9_-]{8,}+|\beyJ[A-Za-z0-9_-]{8,500}+)"
    r"\.(?:eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+|[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3})",
}
"""Patterns by kind: text of one of these shapes is a secret, whatever its name."""

LIKELY_SHAPES = (
    _BEGIN + r"(?:sk|csk|tvly|nvapi|pat)-[A-Za-z0-9_-]{16,}+",
    _BEGIN + r"(?:hf|npm|gsk|xai|pplx|r8|lsv2|shpat)_[A-Za-z0-9_]{16,}+",
)
"""Shapes of likely secrets: text of such a shape is redacted if it looks random, but never refused."""

SENDGRID = "SG."
"""A hint that would be in many texts in lower case."""
SHAPE_HINTS: Mapping[str, tuple[str, ...]] = {
    "private key": ("private key",),
    "private key in base64": ("ls0tls1crudjti",),
    "private key of age": ("age-secret-",),
    "AWS access key": ("akia", "asia", "abia", "acca"),
    "GitHub token": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat"),
    "GitLab token": ("glpat-", "glrt-", "gldt-"),
    "Anthropic key": ("sk-",),
    "OpenAI key": ("sk-",),
    "Slack token": ("xox", "xapp-", "slack.com"),
    "Google key": ("aiza", "ya29"),
    "Stripe key": ("k_live", "k_test"),
    "Hugging Face token": ("hf_",),
    "npm or PyPI token": ("npm_", "pypi-"),
    "key of a model provider": ("xai-", "pplx-", "gsk_", "r8_", "pcsk_", "_v1_"),
    "Vault or Doppler token": ("hvs.", "dp.st.", "dp.pt."),
    "Linear, Notion or Figma token": ("lin_api_", "ntn_", "figd_"),
    "Grafana, Sentry or Atlassian token": ("glsa_", "sntry", "atatt3"),
    "Databricks, PlanetScale or Supabase token": ("dapi", "pscale_", "sbp_"),
    "Docker token": ("dckr_",),
    "token of a bot": (":aa", "/api/webhooks/"),
    "hash of a password": ("$2a$", "$2b$", "$2y$", "$6$", "$y$", "$argon2"),
    "NVIDIA key": ("nvapi-",),
    "SendGrid key": (SENDGRID,),
    "LangSmith key": ("lsv2_",),
    "DigitalOcean token": ("_v1_",),
    "Shopify token": ("shpat_", "shpca_", "shppa_", "shpss_"),
    "JSON web token": ("eyj",),
}
"""Words by kind, of which one is in every text that has the shape. Searching for words is many times faster than the
patterns. All but that of `SENDGRID` are searched in the text in lower case."""
LIKELY_HINTS = (
    "sk-",
    "tvly-",
    "nvapi-",
    "pat-",
    "hf_",
    "npm_",
    "gsk_",
    "xai_",
    "pplx_",
    "r8_",
    "lsv2_",
    "shpat_",
)
"""The same of the shapes with less certainty."""

WORDS = r"password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|auth"
"""A pattern for words that come before secrets in prose and programs; such a value is one only if it looks random."""
