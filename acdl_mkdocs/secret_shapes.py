"""What keys and passwords look like: their shapes by kind, and the words that they stand behind in prose.

The one table of both those who refuse secrets (`playbook/secrets.py`) and those who take them out (`redact`). A shape
covers the whole secret, and every pattern takes time that is linear in the text. Knows nothing of what is done.
"""

from collections.abc import Mapping

_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
"""Before a key: no letter and no digit, unless it is that of an escape in JSON."""

SHAPES: Mapping[str, str] = {
    "private key": r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}+-----END [A-Z0-9 ]{0,40}-----"
    r"|(?:(?:(?:\s|\\[nr])*+(?:[A-Z][A-Za-z-]{3,20}: [^\n\\]{1,100}|[A-Za-z0-9+/=]{12,}+))++"
    r"(?:\s[A-Za-z0-9+/=]{1,11}\Z)?)?)",
    "AWS access key": _BEGIN + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "GitHub token": _BEGIN + r"(?:gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+)",
    "GitLab token": _BEGIN + r"glpat-[A-Za-z0-9_-]{20,}+",
    "Anthropic key": _BEGIN + r"sk-ant-[A-Za-z0-9_-]{20,}+",
    "OpenAI key": _BEGIN + r"sk-(?:[A-Za-z0-9]{20,}+|(?:proj|svcacct|admin|or-v1|live|test)-[A-Za-z0-9_-]{16,}+)",
    "Slack token": _BEGIN + r"xox[abeoprs]-[A-Za-z0-9-]{10,}+|hooks\.slack\.com/services/T\w+/B\w+/\w+",
    "Google key": _BEGIN + r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}+)",
    "Stripe key": _BEGIN + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    "Hugging Face token": _BEGIN + r"hf_[A-Za-z0-9]{30,}+",
    "npm or PyPI token": _BEGIN + r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+)",
    "NVIDIA key": _BEGIN + r"nvapi-[A-Za-z0-9_-]{20,}+",
    "SendGrid key": _BEGIN + r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}+",
    "LangSmith key": _BEGIN + r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{16,}+",
    "DigitalOcean token": _BEGIN + r"do[opr]_v1_[a-f0-9]{32,}+",
    "Shopify token": _BEGIN + r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+",
    "JSON web token": r"(?:(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+|\beyJ[A-Za-z0-9_-]{8,500}+)"
    r"\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+",
}
"""Patterns by kind: what has one of these shapes is a secret, whatever stands before it."""

LIKELY_SHAPES = (
    _BEGIN + r"(?:sk|csk|tvly|nvapi|pat)-[A-Za-z0-9_-]{16,}+",
    _BEGIN + r"(?:hf|npm|gsk|xai|pplx|r8|lsv2|shpat|dop_v1)_[A-Za-z0-9_]{16,}+",
)
"""What is one with less certainty: if it looks made by chance, it is better taken out; it is not refused."""

SHAPE_HINTS = (
    *("private key", "sk-", "k_live", "k_test", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat-"),
    *("xox", "slack.com", "aiza", "ya29", "akia", "asia", "abia", "acca", "hf_", "npm_", "gsk_", "xai_", "pplx_"),
    *("r8_", "pypi-", "eyj", "nvapi-", "lsv2_", "_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "tvly-", "pat-"),
)
"""One of these, in lower case, is in every text with a shape but that of `SENDGRID`. Looking for words is many times
faster than the patterns."""
SENDGRID = "SG."
"""The same of a shape that in lower case would be in many texts."""

WORDS = r"password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|auth"
"""Pattern of the words behind which prose and programs have secrets; such a value is one only if it looks random."""
