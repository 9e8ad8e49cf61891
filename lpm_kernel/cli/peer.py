"""Commands about other nodes: listen, invite, accept, list."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.errors import InvalidInputError

if TYPE_CHECKING:
    from lpm_kernel.domain.share.network import OutboxRow
    from lpm_kernel.node import Node
    from lpm_kernel.node.meeting import Meeting

peer_app = typer.Typer(help="Other nodes, and the people behind them.", no_args_is_help=True)
app.add_typer(peer_app, name="peer")

LOOK_EVERY = 0.2
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help="File whose first line opens your keys; without it you are asked."
    ),
]


@command(peer_app, "run")
def peer_run(
    port: Annotated[
        int | None,
        typer.Option(
            help="Port to listen on, instead of the one in the settings; 0 for any that is free."
        ),
    ] = None,
    listen: Annotated[
        str,
        typer.Option(help="Interface to listen on; 0.0.0.0 for all, so that others can reach you."),
    ] = "127.0.0.1",
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Let contacts reach this node, and send what waits for them, without the rest of it. Runs
    until Ctrl-C.
    """
    from lpm_kernel.config import default_home, usable_settings
    from lpm_kernel.peer import supervise

    home = default_home()
    passphrase = _passphrase(home.keys, passphrase_file)

    def announce(addresses: list[str]) -> None:
        say(
            {"addresses": addresses},
            [f"Listening at {address}" for address in addresses],
            as_json=as_json,
            flush=True,
        )

    supervise.keep(
        home,
        listen,
        usable_settings(home)[0].peers_port if port is None else port,
        announce,
        passphrase,
    )


@command(peer_app, "id")
def peer_id(passphrase_file: PassphraseFile = None, as_json: AsJson = False) -> None:
    """Show by which names other nodes know this one."""
    with opened() as node:
        keystore = _meeting(node, passphrase_file).keystore
        data = {"did": str(keystore.keys.identity.did), "peer": str(keystore.peer)}
        say(data, [f"Identity: {data['did']}", f"Peer id:  {data['peer']}"], as_json=as_json)


@command(peer_app, "protect")
def peer_protect(
    passphrase_file: PassphraseFile = None,
    *,
    remove: Annotated[bool, typer.Option(help="Do without a passphrase.")] = False,
) -> None:
    """Lock the keys with which this node speaks to others by a passphrase. It is typed on the
    screen under People, or asked for by `lpm peer run`.
    """
    with opened() as node:
        here = _meeting(node, passphrase_file if remove else None)
        fresh = (
            ""
            if remove
            else (
                _first_line(passphrase_file)
                if passphrase_file
                else typer.prompt("The new passphrase", hide_input=True, confirmation_prompt=True)
            )
        )
        here.keystore.protect(fresh)
        print(
            "No passphrase is needed any more."
            if remove
            else "The passphrase holds. Nobody can bring it back if you forget it."
        )


@command(peer_app, "invite")
def peer_invite(
    address: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Where they can reach you, as /ip4/…/tcp/…; otherwise where `lpm peer run` listens."
            )
        ),
    ] = None,
    note: Annotated[str, typer.Option(help="For whom it is; stays here.")] = "",
    qr: Annotated[
        bool, typer.Option("--qr", help="Draw the link as well, for a telephone to read.")
    ] = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a link by which one person can become your contact within a day."""
    from lpm_kernel.backends.qr import in_terminal
    from lpm_kernel.usecases.share import reach

    with opened() as node:
        here = _meeting(node, passphrase_file)
        made = here.invite(
            note, address or (here.name and here.places()) or reach.addresses(node.ports.home)
        )
        said = [
            made.link,
            (
                "It holds for one day and for one person. Whoever has it can be taken for them, so"
                " send it in private."
            ),
        ]
        if qr:
            said = [in_terminal(made.link), *said]
        say({"id": made.id, "link": made.link, "expires": made.expires}, said, as_json=as_json)


@command(peer_app, "accept")
def peer_accept(
    link: Annotated[str, typer.Argument(help="The link that they sent you.")],
    name: Annotated[str, typer.Option(help="What you call them.")] = "",
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for their answer, if something listens here.")
    ] = 20.0,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Say hello to who sent you a link. It is tried until their node answers, for a day at most."""
    from lpm_kernel.domain.share.network import OutboxState
    from lpm_kernel.errors import NodeError
    from lpm_kernel.usecases.share.reach import begun

    with opened() as node:
        sent = _meeting(node, passphrase_file).greet(link, name)
        until = time.monotonic() + (
            wait if begun(node.ports.home, node.ports.settings).addresses else 0
        )
        while (now := _row(node, sent)).state is OutboxState.WAITING and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
        if now.state is OutboxState.REFUSED:
            raise NodeError("Their node did not take this invite.", "Ask for a new one.")
        if now.contact is None:
            say(
                {"state": now.state.value},
                "The hello waits; it is sent as soon as your node runs and theirs answers.",
                as_json=as_json,
            )
            return
        met = node.ports.contacts.get(now.contact)
        words = " ".join(met.words)
        said = [
            f"You are contacts now. Read these words to each other: {words}",
            "If theirs are others, somebody stands between you: end it.",
        ]
        say(
            {"state": now.state.value, "contact": met.id, "words": list(met.words)},
            said,
            as_json=as_json,
        )


@command(peer_app, "list")
def peer_list(
    words: Annotated[
        str,
        typer.Argument(help="Part of a name, a note, an identity or an address; nothing for all."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List your contacts, or those whom some words are about."""
    from lpm_kernel.usecases.share.people import called, look_for

    with opened() as node:
        rows: list[dict[str, Any]] = [
            {
                "id": contact.id,
                "name": called(contact),
                "state": contact.state.value,
                "did": contact.did,
                "peer": contact.peer,
                "words": list(contact.words),
                "verified_at": contact.verified_at,
                "met_at": contact.met_at,
                "addresses": node.ports.contacts.addresses(contact.id),
            }
            for contact in look_for(node.ports.contacts, words)
        ]
        say(
            {"items": rows},
            [f"{row['id']}  {row['state']:8}{row['name']}" for row in rows]
            or ["No contacts yet. `lpm peer invite` makes a link."],
            as_json=as_json,
        )


def _meeting(node: Node, passphrase_file: Path | None) -> Meeting:
    """Open what speaks to others; with the passphrase, where the keys are locked by one."""
    from lpm_kernel.node.meeting import Meeting

    return Meeting(node.ports, node.library, _passphrase(node.ports.home.keys, passphrase_file))


def _passphrase(keys: Path, file: Path | None) -> str:
    """Read the passphrase from a file, or ask for it; nothing where the keys need none. It stands
    on no command line and in no environment.
    """
    from lpm_kernel.usecases.share.keys import protection

    if protection(keys) != "passphrase":
        return ""
    return (
        _first_line(file)
        if file is not None
        else str(typer.prompt("The passphrase of your keys", hide_input=True, err=True))
    )


def _first_line(file: Path) -> str:
    try:
        line = file.read_text("utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The file {file} cannot be read.", "Name a file whose first line is the passphrase."
        ) from error
    if not line:
        raise InvalidInputError(
            f"The first line of {file} is empty.", "Write the passphrase there."
        )
    return line


def _row(node: Node, sent: OutboxRow) -> OutboxRow:
    row = node.ports.post.outgoing(sent.id)
    return sent if row is None else row
