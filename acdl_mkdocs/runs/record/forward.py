"""Answers of the real providers, passed on byte by byte as they come."""

import http.client
import re
import shlex
import ssl
from base64 import b64encode
from collections.abc import Iterator, Mapping
from threading import Lock
from urllib.parse import SplitResult, unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from acdl_mkdocs.prompts.providers.client_request import Answer, Asked
from acdl_mkdocs.prompts.providers.scripted_reply import Failure
from acdl_mkdocs.prompts.redact import redacted_text
from acdl_mkdocs.runs.read.bodies import READABLE
from acdl_mkdocs.runs.record.http_head import words_of
from acdl_mkdocs.runs.record.offline import failed

_TIMEOUT_S = 1200
"""Longer than clients wait: they decide."""
_CHUNK_BYTES = 65_536
_FIRST_FINAL = 200
_MOVED = (301, 302, 303, 307, 308)
_MOVED_UNCHANGED = (307, 308)
_MOST_MOVES = 5
"""How often a provider may send a request on, to itself."""
_LENGTH = re.compile(r"[0-9]{1,18}")
HOP_BY_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers that are about one connection."""
_OURS = HOP_BY_HOP | {"host", "content-length", "accept-encoding", "expect"}


class BrokenAnswerError(ConnectionError):
    """An answer ended before it was whole."""


class ForwardedAnswers:
    """Asks the providers."""

    is_offline = False

    def __init__(self, upstreams: Mapping[str, str]) -> None:
        self._upstreams = upstreams
        self._complaints: list[str] = []
        self._remarks: list[str] = []
        self._lock = Lock()

    def answer(self, asked: Asked) -> Answer:
        """Return the answer of the provider; if it cannot be reached, an error with the reason."""
        upstream = self._upstreams[asked.provider]
        query = "&".join(filter(None, (urlsplit(upstream).query, asked.query)))
        target = f"{urlsplit(upstream).path.rstrip('/')}{asked.path}" + (f"?{query}" if query else "")
        try:
            connection, response = _ask(upstream, target, asked)
            for _ in range(_MOST_MOVES):
                moved = _moved(upstream, target, response)
                if moved is None:
                    break
                connection.close()
                target = moved
                connection, response = _ask(upstream, target, asked)
        except (OSError, http.client.HTTPException, ValueError) as reason:
            return self._unreached(asked, upstream, reason)
        return self._passed_on(asked, connection, response)

    def _passed_on(
        self, asked: Asked, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> Answer:
        elsewhere = response.getheader("location")
        if asked.format is not None and response.status in _MOVED and elsewhere:
            with self._lock:
                self._complaints.append(_sent_elsewhere(asked, elsewhere))
        n_bytes = None if response.chunked else response.length
        headers = tuple((key, value) for key, value in response.getheaders() if key.lower() not in HOP_BY_HOP)
        kept = tuple((key, value) for key, value in headers if key.lower() != "content-length")
        length = _said_length(response) if asked.method == "HEAD" else n_bytes
        return Answer(response.status, kept, _chunks(connection, response, n_bytes), length)

    def _unreached(self, asked: Asked, upstream: str, reason: Exception) -> Answer:
        why = redacted_text(f"{type(reason).__name__}: {reason}")
        host = urlsplit(upstream).hostname
        cure = (
            "; set SSL_CERT_FILE to a file of certificates" if isinstance(reason, ssl.SSLCertVerificationError) else ""
        )
        sentence = f"request {asked.number} did not reach {host}: {why}{cure}"
        with self._lock:
            self._remarks.append(sentence)
        found = failed(asked, Failure(502, sentence), is_scripted=True)
        return Answer(found.status, found.headers, found.chunks, found.length, f"it did not reach its provider: {why}")

    def complaints(self) -> list[str]:
        """Return the requests that bypassed the recorder; errors of a provider are answers."""
        return list(self._complaints)

    def left_over(self) -> list[str]:
        """Return nothing: a provider can always answer more."""
        return []

    def remarks(self) -> list[str]:
        """Return the requests that did not reach a provider."""
        return list(self._remarks)


def _ask(upstream: str, target: str, asked: Asked) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """Send a request to a provider and wait for the beginning of the answer."""
    connection, target = _connection(upstream, target)
    connection.putrequest(asked.method, target, skip_host=False, skip_accept_encoding=True)
    for key, value in _headers(asked, upstream):
        connection.putheader(key, value)
    connection.endheaders(asked.body or None)
    response = connection.getresponse()
    if response.status < _FIRST_FINAL:
        connection.close()
        raise http.client.HTTPException(f"its answer has status {response.status}, after which another one should come")
    return connection, response


def _said_length(response: http.client.HTTPResponse) -> int | None:
    """Return the declared length of the body of an answer without a body."""
    said = response.getheader("content-length", "")
    return int(said) if _LENGTH.fullmatch(said) else None


def _moved(upstream: str, target: str, response: http.client.HTTPResponse) -> str | None:
    """Return where to send a request again, unchanged, at the same provider."""
    place = response.getheader("location") if response.status in _MOVED_UNCHANGED else None
    if not place:
        return None
    here = urlsplit(upstream)
    there = urlsplit(urljoin(f"{here.scheme}://{_place(here)}{target}", place))
    if (there.scheme, _place(there)) != (here.scheme, _place(here)):
        return None
    return (there.path or "/") + (f"?{there.query}" if there.query else "")


def _place(parts: SplitResult) -> str:
    """Return the name and the port of an address."""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _sent_elsewhere(asked: Asked, place: str) -> str:
    """Return the complaint about a redirect to another server, which clients follow by themselves."""
    bare = redacted_text(re.split(r"[?#]", place, maxsplit=1)[0])
    option = shlex.quote(f"{asked.provider}={bare.removesuffix(asked.path)}")
    cure = f"; record that one: `--upstream {option}`" if "://" in bare else ""
    return f"request {asked.number} was sent on to `{bare}`, past the recorder{cure}"


def _headers(asked: Asked, upstream: str) -> Iterator[tuple[str, str]]:
    """Yield the headers of a client for the provider; only compressions that can be recorded."""
    named = {*words_of(asked.headers, "connection")}
    parts = urlsplit(upstream)
    if parts.username is not None:  # as clients do: it counts, and not their key
        named.add("authorization")
        yield "Authorization", _login(parts.username, parts.password)
    for key, value in asked.headers:
        if key.lower() not in _OURS and key.lower() not in named:
            yield key, value
    wanted = [word.split(";")[0].strip().lower() for word in asked.header("accept-encoding").split(",")]
    yield "Accept-Encoding", ", ".join(word for word in wanted if word in READABLE) or "identity"
    if asked.body or asked.method in ("POST", "PUT", "PATCH"):
        yield "Content-Length", str(len(asked.body))


def _connection(upstream: str, target: str) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection to a provider, through the proxy of the environment, if any; and the request target."""
    parts = urlsplit(upstream)
    host = parts.hostname or ""
    proxy = None if proxy_bypass(host) else getproxies().get(parts.scheme)
    through = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else None
    where = (host, parts.port) if through is None else (through.hostname or "", through.port or 80)
    if parts.scheme == "https":
        secure = http.client.HTTPSConnection(*where, timeout=_TIMEOUT_S, context=ssl.create_default_context())
        if through is not None:
            login = {"Proxy-Authorization": _login(through.username, through.password)} if through.username else {}
            secure.set_tunnel(host, parts.port or 443, login)
        return secure, target
    plain = http.client.HTTPConnection(*where, timeout=_TIMEOUT_S)
    return plain, target if through is None else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{target}"


def _login(name: str, password: str | None) -> str:
    """Return the value of the header for authorization."""
    return "Basic " + b64encode(f"{unquote(name)}:{unquote(password or '')}".encode()).decode()


def _chunks(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse, n_bytes: int | None
) -> Iterator[bytes]:
    """Yield the bytes of an answer as soon as they arrive."""
    n_read = 0
    try:
        while chunk := response.read1(_CHUNK_BYTES):
            n_read += len(chunk)
            yield chunk
    except (OSError, http.client.HTTPException) as reason:
        raise BrokenAnswerError(str(reason)) from reason
    finally:
        connection.close()
    if n_bytes is not None and n_read < n_bytes:
        raise BrokenAnswerError(f"{n_read} of {n_bytes} bytes came")
