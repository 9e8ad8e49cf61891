"""The built front end, and the login that hands its browser a cookie."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Flask, Response, abort, redirect, request, send_from_directory
from werkzeug.security import safe_join

from lpm_kernel.api.context import node
from lpm_kernel.api.gate import cookie_name
from lpm_kernel.api.problems import refuse
from lpm_kernel.api.refusals import NOT_BUILT, USED_UP
from lpm_kernel.usecases.home import access


def register(app: Flask, front_end: Path) -> None:
    """Serve the export below `/`, and `/login`. Plain Flask blueprints: these are pages, no part
    of the contract.
    """
    pages = Blueprint("login", __name__)

    @pages.get("/login")
    def login() -> Response:
        """Use a login code up, set this home's cookie, and go to the first screen. A look ahead
        (HEAD) uses nothing up.
        """
        if request.method == "HEAD":
            return Response()
        session = access.log_in(
            node().ports.access,
            node().ports.clock,
            request.args.get("code", ""),
            access.program_of(request.headers.get("User-Agent", "")),
        )
        if session is None:
            return refuse(USED_UP)
        answer = Response(status=HTTPStatus.SEE_OTHER, headers={"Location": "/"})
        answer.set_cookie(
            cookie_name(node()),
            session,
            max_age=access.SESSION_DAYS * 86400,
            httponly=True,
            secure=request.is_secure,
            samesite="Strict",
            path="/",
        )
        return answer

    app.register_blueprint(pages)
    register_pages(app, front_end)


def register_pages(app: Flask, front_end: Path) -> None:
    """Serve the export below `/`; it has no word of anybody's in it."""
    pages = Blueprint("pages", __name__)

    @pages.get("/", defaults={"path": ""})
    @pages.get("/<path:path>")
    def page(path: str) -> Response:
        """Serve a file of the export; `/chat` is `chat.html`, `/` is `index.html`."""
        if path.startswith(("api/", "v1/", "mcp")):
            abort(HTTPStatus.NOT_FOUND)
        if not (front_end / "index.html").exists():
            return refuse(NOT_BUILT)
        # browsers ask for it by themselves
        path = "icon-192.png" if path == "favicon.ico" else path
        name = _file_of(front_end, path)
        if name is not None:
            answer = send_from_directory(front_end, name)
            immutable = name.startswith("_next/static/")
            answer.headers["Cache-Control"] = (
                "public, max-age=31536000, immutable" if immutable else "no-cache"
            )
            return answer
        plain = path.strip("/")
        # to a page that is there, and so to no other site
        if path.endswith("/") and _file_of(front_end, plain) is not None:
            return redirect(f"/{plain}")  # type: ignore[return-value]  # werkzeug's response is Flask's here
        missing = (
            send_from_directory(front_end, "404.html")
            if (front_end / "404.html").exists()
            else Response("Not found")
        )
        missing.status_code = HTTPStatus.NOT_FOUND
        return missing

    app.register_blueprint(pages)


def _file_of(front_end: Path, path: str) -> str | None:
    """Return the file of the export that a path means; ``None`` where there is none."""
    for name in (path, f"{path}.html", f"{path}/index.html") if path else ("index.html",):
        inside = safe_join(str(front_end), name)
        if inside is not None and "\0" not in name and Path(inside).is_file():
            return name
    return None
