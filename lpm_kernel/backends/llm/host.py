"""The model host: a process of its own, so that a model that dies or fills the memory takes nothing
else with it.

    python -m lpm_kernel.backends.llm.host --home ~/.second-me

It listens on loopback at a port of its own choosing, says where in `run/host.json`, and then loads
the model and the embedder; `/healthz` tells how far it is. Stop it with SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from types import FrameType
from typing import TypeVar

from waitress.server import create_server

from lpm_kernel.backends.llm.host_app import HostApp, HostPart, HostParts, Served
from lpm_kernel.backends.llm.launch import read_where, token, where_file, write_where
from lpm_kernel.backends.llm.prefixes import give_back_large_blocks
from lpm_kernel.backends.llm.wire import LARGEST_BODY
from lpm_kernel.domain.ports import Embedder, ReadingModel
from lpm_kernel.errors import NodeError

THREADS = 16
"""Requests that are looked after at once. One computes; the others wait their turn or embed."""

MOST_HEADERS = 65_536
MOST_CONNECTIONS = 400
IDLE_SECONDS = 20
"""After which a connection that brings nothing is closed."""

LOOK_SECONDS = 1.0
"""How often a host that ends with its parent looks whether it is there."""

T = TypeVar("T")


@dataclass(frozen=True)
class HostLoaders:
    """What brings up what the host serves."""

    model: Callable[[], Served]
    embedder: Callable[[], Embedder]
    reader: Callable[[], ReadingModel]


def serve(home: Path, load: HostLoaders) -> None:
    """Listen, say where, load, and answer until SIGTERM."""
    give_back_large_blocks()
    parts = HostParts()
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    app = HostApp(token(home), parts, home / "versions")
    # A look-ahead of one request is what lets the server notice that a client has gone away.
    server = create_server(
        app,
        sockets=[listener],
        threads=THREADS,
        channel_request_lookahead=1,
        max_request_body_size=LARGEST_BODY + 1,
        max_request_header_size=MOST_HEADERS,
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=5,
        connection_limit=MOST_CONNECTIONS,
        asyncore_use_poll=True,
        ident=None,
        clear_untrusted_proxy_headers=True,
    )
    write_where(home, listener.getsockname()[1])
    for bringing in (
        partial(bring_up, parts.model, load.model, "model"),
        partial(bring_up, parts.embedder, load.embedder, "embedder"),
        partial(bring_up, parts.reader, load.reader, "reader"),
    ):
        threading.Thread(target=bringing, daemon=True).start()
    signal.signal(signal.SIGTERM, _leave)
    try:
        server.run()
    finally:
        said = read_where(home)
        # not when the next host has said where it is already
        if said is not None and said.pid == os.getpid():
            where_file(home).unlink(missing_ok=True)
        # Not the interpreter's own ending: a thread may be in the middle of computing and would be
        # waited for.
        sys.stdout.flush()
        os._exit(0)


def bring_up(part: HostPart[T], load: Callable[[], T], name: str) -> None:
    """Load one part and say how it went; a failure is a state that the person sees, not the end of
    the process.
    """
    try:
        part.ready(load(), f"The {name} is ready.")
    except NodeError as error:
        part.down(f"{error.detail} {error.hint}".strip())
    except MemoryError:
        part.down(f"There is not enough memory for the {name}. Choose a smaller one.")
    except ImportError as error:
        part.down(f"The {name} needs {error.name}, which is not installed. Run `make setup` again.")
    except Exception as error:
        part.down(f"The {name} could not be loaded: {type(error).__name__}.")
        raise


def model_loader(model: str, context: int, threads: int) -> Callable[[], Served]:
    """Return what loads the model of that name; nothing heavy is imported before it is called."""

    def load() -> Served:
        if model == "none":
            raise NodeError("No model was chosen.")
        if model == "scripted" or model.startswith("scripted:"):
            from lpm_kernel.backends.llm.scripted import ScriptedModel

            script = model.partition(":")[2]
            return ScriptedModel.from_file(Path(script)) if script else ScriptedModel()
        from lpm_kernel.backends.llm.gguf_model import GgufModel
        from lpm_kernel.backends.llm.weights import bundled_model

        return GgufModel(
            bundled_model() if model == "bundled" else Path(model).expanduser(),
            context=context,
            threads=threads,
        )

    return load


def embedder_loader(name: str, threads: int = 2) -> Callable[[], Embedder]:
    """Return what makes the embedder of that name: `package.module:Class`, or the path of a GGUF
    file. It works on so many ``threads`` where it can.
    """

    def load() -> Embedder:
        if name == "none":
            raise NodeError("No embedder was chosen.")
        if name.lower().endswith(".gguf"):
            from lpm_kernel.backends.llm.gguf_embedder import GgufEmbedder

            return GgufEmbedder(Path(name).expanduser(), threads=threads)
        kind = resolve_name(name)
        wants = {"threads": threads} if "threads" in signature(kind).parameters else {}
        embedder: Embedder = kind(**wants)
        return embedder

    return load


def reader_loader(name: str) -> Callable[[], ReadingModel]:
    """Return what makes the reader of that name: `package.module:Class`, and after `=` the file of
    weights of its own.
    """

    def load() -> ReadingModel:
        if name == "none":
            raise NodeError("No reader was chosen.")
        kind, _, weights = name.partition("=")
        own = {"learned": Path(weights)} if weights else {}
        reader: ReadingModel = resolve_name(kind)(**own)
        return reader

    return load


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(0)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(
        prog="model host", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--home", type=Path, required=True, help="the data directory of the node")
    parser.add_argument(
        "--model",
        default="bundled",
        help="bundled, a path to a GGUF file, scripted, scripted:FILE, or none",
    )
    parser.add_argument(
        "--embedder", default="none", help="package.module:Class, the path of a GGUF file, or none"
    )
    parser.add_argument(
        "--reader",
        default="none",
        help="package.module:Class, with =FILE for weights of its own; or none",
    )
    parser.add_argument("--threads", type=int, default=2, help="threads for the model")
    parser.add_argument(
        "--context", type=int, default=4096, help="tokens that the model reads at once"
    )
    parser.add_argument(
        "--with-parent",
        action="store_true",
        help="end when the process that started this one is gone",
    )
    options = parser.parse_args(arguments)
    if options.with_parent:
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    serve(
        options.home,
        HostLoaders(
            model_loader(options.model, options.context, options.threads),
            embedder_loader(options.embedder, options.threads),
            reader_loader(options.reader),
        ),
    )


if __name__ == "__main__":
    main()
