"""The known providers: the variables for their addresses, and their real addresses."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.provider import Host
from acdl_mkdocs.prompts.redact import redact_text

PLACEHOLDER_KEY = "no-key-is-needed"
"""Placeholder for clients that refuse to start without a key, if nothing is sent to a provider."""


HOSTS: tuple[Host, ...] = tuple(host for provider in PROVIDERS.values() for host in provider.hosts)
"""Providers with an address for each customer are recorded if it is given, in a variable or as an option."""


def list_providers(
    upstreams: Mapping[str, str], variables: Mapping[str, str], environ: Mapping[str, str], *, is_offline: bool
) -> tuple[Host, ...]:
    """Return the providers to record, each with its real address.

    Parameters:
        upstreams: Addresses by names of providers: of known or other providers.
        variables: Names of more variables, and the providers whose address they have.
        environ: Variables of the program; addresses in them stay in effect.
        is_offline: Whether nothing is sent to a provider, so that no address is needed.

    Raises:
        RecorderError: An address is invalid, or a variable is for an unknown provider.
    """
    names = {each.name: each for each in HOSTS}
    others = [provider for provider in variables.values() if is_offline and not find_closest(provider, names)]
    for name in (*upstreams, *others):
        if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
            raise RecorderError(
                f"`{redact_text(name)}` is not a provider name; use letters and digits, such as `mistral=https://…`"
            )
        names.setdefault(name, Host(name))
    hosts: dict[str, Host] = {}
    for name, each in names.items():
        own = tuple(variable for variable, provider in variables.items() if provider == name)
        address = next((environ[variable] for variable in (*own, *each.variables) if environ.get(variable)), None)
        upstream = upstreams.get(name) or address or each.upstream
        if upstream is not None:
            _check_address(name, upstream)
        if upstream is not None or own:
            hosts[name] = Host(name, upstream, (*each.variables, *own), each.keys, each.end)
    for variable, provider in variables.items():
        _check_variable(variable, provider, hosts, is_offline=is_offline)
    return tuple(hosts.values())


def _check_address(name: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port, or an incomplete IPv6 address
        is_address = False
    if not is_address:
        redacted, example = redact_text(address), "`https://api.example.com/v1`"
        raise RecorderError(f"`{redacted}` is not an address of {name}; write, for example, {example}")


def _check_variable(variable: str, provider: str, hosts: Mapping[str, Host], *, is_offline: bool) -> None:
    if provider not in hosts:
        near = find_closest(provider, hosts)
        cure = f"did you mean `{near}`?" if near else f"add its address: `--upstream {redact_text(provider)}=https://…`"
        raise RecorderError(f"`{variable}` is for `{redact_text(provider)}`, which is not a known provider; {cure}")
    if hosts[provider].upstream is None and not is_offline:
        cure = f"add `--upstream {provider}=https://…`"
        raise RecorderError(f"`{variable}` is for `{provider}`, whose address is not known; {cure}")


def build_environment(
    providers: tuple[Host, ...], address: str, environ: Mapping[str, str], *, is_offline: bool
) -> dict[str, str]:
    """Return the environment variables that make the clients of a program use the recorder.

    Parameters:
        providers: The recorded providers.
        address: The address of the recorder, without a provider.
        environ: Variables of the program.
        is_offline: Whether clients get placeholders for missing keys.
    """
    environment: dict[str, str] = {}
    for each in providers:
        environment |= dict.fromkeys(each.variables, f"{address}/{each.name}{each.end}")
        if is_offline and each.keys and not any(environ.get(key) for key in each.keys):
            environment[each.keys[0]] = PLACEHOLDER_KEY
    if is_offline:
        environment |= (
            {"OPENAI_AGENTS_DISABLE_TRACING": "1"} if not environ.get("OPENAI_AGENTS_DISABLE_TRACING") else {}
        )
    for variable in ("NO_PROXY", "no_proxy"):
        others = [each for each in environ.get(variable, "").split(",") if each.strip()]
        environment[variable] = ",".join(dict.fromkeys((*others, "127.0.0.1", "localhost")))
    return environment
