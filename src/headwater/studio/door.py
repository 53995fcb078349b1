"""The door of Studio: turns a browser's cookie into the token that the service's guards ask for.

Laws: nothing of Studio but the page to log in is shown to somebody without a valid token; a web
socket is opened only for a page of this very service; no page can be framed by another site.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headwater.errors import HeadwaterError, UserError
from headwater.service.answers import answer
from headwater.service.guards import UPLOAD
from headwater.service.identity import Authenticator, Identity, Proof
from headwater.studio.answered import ANSWERED
from headwater.studio.cookies import PREFIX, TOKEN, cookies_in, forget_token, set_token
from headwater.studio.links import Links
from headwater.studio.login_page import login_page

LOGIN, LOGOUT = f"{PREFIX}/login", f"{PREFIX}/logout"
# Where NiceGUI takes the files of an open page, which it writes to disk as they arrive.
_UPLOAD = re.compile(re.escape(PREFIX) + r"/_nicegui/client/[^/]+/upload/[^/]+")
_DAY_SECONDS = 12 * 3600
_MOST_FORM_BYTES = 4096
_HOST = re.compile(r"[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:]+\](:[0-9]{1,5})?")
# Vue compiles templates in the browser, so a script may be text; it reaches this host alone.
_POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self'{sockets}; "
    "object-src 'none'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'"
)
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
}

IssueToken = Callable[[Identity, int], str]
"""Makes a token of a user that ends after so many seconds."""


class Door:
    """Stands before the guards, and lets everything pass that is not for Studio."""

    def __init__(
        self,
        application: ASGIApp,
        *,
        authenticator: Authenticator,
        issue: IssueToken,
        links: Links,
        secure: bool,
    ) -> None:
        self._application = application
        self._authenticator = authenticator
        self._issue = issue
        self._links = links
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and path in ("/", PREFIX):
            await RedirectResponse(f"{PREFIX}/", 307)(scope, receive, send)
            return
        if not path.startswith(f"{PREFIX}/"):
            await self._application(scope, receive, send)
            return
        headers = Headers(scope=scope)
        token = cookies_in(headers.get("cookie", "")).get(TOKEN)
        if scope["type"] == "websocket" and not _same_origin(headers):
            token = None
        guarded = (
            send if scope["type"] == "websocket" else _with_safe_headers(send, headers.get("host"))
        )
        response = None
        if scope["type"] == "http":
            response = await self._own_answer(Request(scope, receive), token)
        if response is not None:
            await response(scope, receive, guarded)
            return
        answered = asyncio.Event()
        try:
            await self._application(_bearing(scope, token, answered), receive, guarded)
        finally:
            answered.set()

    async def _own_answer(self, request: Request, token: str | None) -> Response | None:
        """What the door says by itself; None when the request goes on."""
        path = request.url.path
        if path == LOGIN:
            return await self._login(request)
        if path == LOGOUT:
            return RedirectResponse(LOGIN, 303, {"set-cookie": forget_token()})
        wants_page = "text/html" in request.headers.get("accept", "")
        if request.method == "GET" and wants_page and not await self._known(request, token):
            return RedirectResponse(LOGIN, 303)
        return None

    async def _known(self, request: Request, token: str | None) -> bool:
        if token is None:
            return False
        proof = Proof(token, address=_address(request))
        try:
            return await run_in_threadpool(self._authenticator.authenticate, proof) is not None
        except HeadwaterError:
            return False

    async def _login(self, request: Request) -> Response:
        if request.method == "GET":
            code = request.query_params.get("code")
            token = None if code is None else self._links.use(code)
            if token is not None:
                return self._entered(token)
            stale = None if code is None else "this link was used already, or is too old"
            return HTMLResponse(login_page(stale), 200 if code is None else 401)
        if request.method != "POST" or not _same_origin(request.headers, missing_is_same=True):
            return answer(UserError("METHOD_NOT_ALLOWED", path=LOGIN, method=request.method))
        form = await _form(request)
        if form is None:
            return answer(UserError("BODY_TOO_LARGE", most=_MOST_FORM_BYTES))
        try:
            return self._entered(await run_in_threadpool(self._token, form, _address(request)))
        except HeadwaterError as error:
            status = 429 if error.condition == "LOGIN_TOO_OFTEN" else 401
            return HTMLResponse(login_page(str(error)), status)

    def _token(self, form: dict[str, str], address: str) -> str:
        user, secret = form.get("user", "").strip(), form.get("secret", "").strip()
        proof = Proof(secret, user or None, address)
        identity = self._authenticator.authenticate(proof)
        if identity is None:
            raise UserError("LOGIN_FAILED")
        # A token is its own proof; of a password only a token of limited life stays.
        return self._issue(identity, _DAY_SECONDS) if user else secret

    def _entered(self, token: str) -> Response:
        cookie = set_token(token, seconds=_DAY_SECONDS, secure=self._secure)
        return RedirectResponse(f"{PREFIX}/", 303, {"set-cookie": cookie})


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _same_origin(headers: Headers, *, missing_is_same: bool = False) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return missing_is_same
    return urlsplit(origin).netloc == headers.get("host")


async def _form(request: Request) -> dict[str, str] | None:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_FORM_BYTES:
            return None
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in fields.items()}


def _bearing(scope: Scope, token: str | None, answered: asyncio.Event) -> Scope:
    """The request as the guards know requests; what it said of itself does not count here."""
    kept = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
    if token is not None:
        kept.append((b"authorization", b"Bearer " + token.encode("latin-1", "replace")))
    sends_file = scope.get("method") == "POST" and _UPLOAD.fullmatch(scope["path"]) is not None
    state = {**scope.get("state", {}), UPLOAD: sends_file, ANSWERED: answered}
    return {**scope, "headers": kept, "state": state}


def _with_safe_headers(send: Send, host: str | None) -> Send:
    # Not every browser counts the sockets of a page's own host as its own.
    known = host is not None and _HOST.fullmatch(host) is not None
    policy = _POLICY.format(sockets=f" ws://{host} wss://{host}" if known else "")

    async def safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = policy
            for name, value in _SAFE_HEADERS.items():
                headers[name] = value
        await send(message)

    return safely
