"""Answers of the real providers, passed on byte by byte as they arrive."""

import http.client
import re
import shlex
import ssl
from base64 import b64encode
from collections.abc import Iterator, Mapping
from threading import Lock
from urllib.parse import SplitResult, unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.runs.read.bodies import READABLE
from acdl_mkdocs.runs.record.http_head import split_header
from acdl_mkdocs.runs.record.offline import write_error

_TIMEOUT_S = 1200
"""Longer than clients wait, so that they decide."""
_CHUNK_BYTES = 65_536
_FIRST_FINAL = 200
_MOVED = (301, 302, 303, 307, 308)
_MOVED_UNCHANGED = (307, 308)
_MOST_MOVES = 5
"""Limit of redirects of a provider to itself."""
_LENGTH = re.compile(r"[0-9]{1,18}")
HOP_BY_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers for a single connection."""
_OURS = HOP_BY_HOP | {"host", "content-length", "accept-encoding", "expect"}


class BrokenAnswerError(ConnectionError):
    """An answer ended before it was complete."""


class ForwardedAnswers:
    """Forwards requests to the providers."""

    is_offline = False

    def __init__(self, upstreams: Mapping[str, str]) -> None:
        self._upstreams = upstreams
        self._complaints: list[str] = []
        self._remarks: list[str] = []
        self._lock = Lock()

    def answer_request(self, request: ClientRequest) -> ClientResponse:
        """Return the answer of the provider; if it cannot be reached, an error with the reason."""
        upstream = self._upstreams[request.provider]
        query = "&".join(filter(None, (urlsplit(upstream).query, request.query)))
        target = f"{urlsplit(upstream).path.rstrip('/')}{request.path}" + (f"?{query}" if query else "")
        try:
            connection, response = _send_request(upstream, target, request)
            for _ in range(_MOST_MOVES):
                moved = _find_redirect(upstream, target, response)
                if moved is None:
                    break
                connection.close()
                target = moved
                connection, response = _send_request(upstream, target, request)
        except (OSError, http.client.HTTPException, ValueError) as reason:
            return self._report_unreached(request, upstream, reason)
        return self._forward_response(request, connection, response)

    def _forward_response(
        self, request: ClientRequest, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> ClientResponse:
        elsewhere = response.getheader("location")
        if request.format is not None and response.status in _MOVED and elsewhere:
            with self._lock:
                self._complaints.append(_describe_redirect(request, elsewhere))
        n_bytes = None if response.chunked else response.length
        headers = tuple((key, value) for key, value in response.getheaders() if key.lower() not in HOP_BY_HOP)
        forwarded = tuple((key, value) for key, value in headers if key.lower() != "content-length")
        length = _find_declared_length(response) if request.method == "HEAD" else n_bytes
        return ClientResponse(response.status, forwarded, _read_chunks(connection, response, n_bytes), length)

    def _report_unreached(self, request: ClientRequest, upstream: str, reason: Exception) -> ClientResponse:
        why = redact_text(f"{type(reason).__name__}: {reason}")
        host = urlsplit(upstream).hostname
        cure = (
            "; set `SSL_CERT_FILE` to a file of trusted certificates"
            if isinstance(reason, ssl.SSLCertVerificationError)
            else ""
        )
        sentence = f"request {request.number} did not reach {host}: {why}{cure}"
        with self._lock:
            self._remarks.append(sentence)
        response = write_error(request, ScriptedError(502, sentence), is_scripted=True)
        return ClientResponse(
            response.status,
            response.headers,
            response.chunks,
            response.length,
            f"the request did not reach its provider: {why}",
        )

    def list_failures(self) -> list[str]:
        """Return the requests that bypassed the recorder; errors of a provider are answers."""
        return list(self._complaints)

    def list_unused(self) -> list[str]:
        """Return nothing: a provider can always answer more."""
        return []

    def list_notes(self) -> list[str]:
        """Return the requests that did not reach a provider."""
        return list(self._remarks)


def _send_request(
    upstream: str, target: str, request: ClientRequest
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """Send a request to a provider and wait for the beginning of the answer."""
    connection, target = _open_connection(upstream, target)
    connection.putrequest(request.method, target, skip_host=False, skip_accept_encoding=True)
    for key, value in _list_headers(request, upstream):
        connection.putheader(key, value)
    connection.endheaders(request.body or None)
    response = connection.getresponse()
    if response.status < _FIRST_FINAL:
        connection.close()
        raise http.client.HTTPException(
            f"the response has the interim status {response.status}, and the final response is missing"
        )
    return connection, response


def _find_declared_length(response: http.client.HTTPResponse) -> int | None:
    """Return the declared length of an answer without a body."""
    length = response.getheader("content-length", "")
    return int(length) if _LENGTH.fullmatch(length) else None


def _find_redirect(upstream: str, target: str, response: http.client.HTTPResponse) -> str | None:
    """Return where to send a request again, unchanged, at the same provider."""
    header = response.getheader("location") if response.status in _MOVED_UNCHANGED else None
    if not header:
        return None
    here = urlsplit(upstream)
    location = urlsplit(urljoin(f"{here.scheme}://{_format_host(here)}{target}", header))
    if (location.scheme, _format_host(location)) != (here.scheme, _format_host(here)):
        return None
    return (location.path or "/") + (f"?{location.query}" if location.query else "")


def _format_host(parts: SplitResult) -> str:
    """Return the name and the port of an address."""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _describe_redirect(request: ClientRequest, target: str) -> str:
    """Return the complaint about a redirect to another server, which clients follow by themselves."""
    bare = redact_text(re.split(r"[?#]", target, maxsplit=1)[0])
    option = shlex.quote(f"{request.provider}={bare.removesuffix(request.path)}")
    cure = f"; record that address: `--upstream {option}`" if "://" in bare else ""
    return f"request {request.number} was redirected to `{bare}`, bypassing the recorder{cure}"


def _list_headers(request: ClientRequest, upstream: str) -> Iterator[tuple[str, str]]:
    """Yield the headers of a client for the provider; only compressions that can be recorded."""
    named = {*split_header(request.headers, "connection")}
    parts = urlsplit(upstream)
    if parts.username is not None:  # as clients do: it takes precedence over their key
        named.add("authorization")
        yield "Authorization", _make_authorization(parts.username, parts.password)
    for key, value in request.headers:
        if key.lower() not in _OURS and key.lower() not in named:
            yield key, value
    codings = [word.split(";")[0].strip().lower() for word in request.get_header("accept-encoding").split(",")]
    yield "Accept-Encoding", ", ".join(word for word in codings if word in READABLE) or "identity"
    if request.body or request.method in ("POST", "PUT", "PATCH"):
        yield "Content-Length", str(len(request.body))


def _open_connection(upstream: str, target: str) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection to a provider, through the proxy of the environment, if any; and the request target."""
    parts = urlsplit(upstream)
    host = parts.hostname or ""
    proxy = None if proxy_bypass(host) else getproxies().get(parts.scheme)
    through = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else None
    where = (host, parts.port) if through is None else (through.hostname or "", through.port or 80)
    if parts.scheme == "https":
        secure = http.client.HTTPSConnection(*where, timeout=_TIMEOUT_S, context=ssl.create_default_context())
        if through is not None:
            login = (
                {"Proxy-Authorization": _make_authorization(through.username, through.password)}
                if through.username
                else {}
            )
            secure.set_tunnel(host, parts.port or 443, login)
        return secure, target
    plain = http.client.HTTPConnection(*where, timeout=_TIMEOUT_S)
    return plain, target if through is None else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{target}"


def _make_authorization(name: str, password: str | None) -> str:
    """Return the value of the header for authorization."""
    return "Basic " + b64encode(f"{unquote(name)}:{unquote(password or '')}".encode()).decode()


def _read_chunks(
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
        raise BrokenAnswerError(f"{n_read} of {n_bytes} bytes arrived")
