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
        "--passphrase-file",
        help="File whose first line is the passphrase; otherwise you are asked.",
    ),
]


@command(peer_app, "run")
def peer_run(
    port: Annotated[
        int | None,
        typer.Option(
            help="Port to listen on instead of the one in the settings; 0 for any free one."
        ),
    ] = None,
    listen: Annotated[
        str,
        typer.Option(help="Interface to listen on; 0.0.0.0 for all, so that others can reach you."),
    ] = "127.0.0.1",
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Let contacts reach this node, and send what is waiting for them, without the rest of the
    node. Runs until Ctrl-C.
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
    """Show the names by which other nodes know this one."""
    with opened() as node:
        keystore = meeting_of(node, passphrase_file).keystore
        data = {"did": str(keystore.keys.identity.did), "peer": str(keystore.peer)}
        say(data, [f"Identity: {data['did']}", f"Peer id:  {data['peer']}"], as_json=as_json)


@command(peer_app, "protect")
def peer_protect(
    passphrase_file: PassphraseFile = None,
    *,
    remove: Annotated[bool, typer.Option(help="Remove the passphrase.")] = False,
) -> None:
    """Protect the keys of this node with a passphrase. You enter it under People, or when
    `lpm peer run` asks.
    """
    with opened() as node:
        here = meeting_of(node, passphrase_file if remove else None)
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
            "The passphrase is removed."
            if remove
            else "The passphrase is set. Nobody can recover it if you forget it."
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
    note: Annotated[str, typer.Option(help="For whom it is. Stays here.")] = "",
    qr: Annotated[bool, typer.Option("--qr", help="Show a QR code of the link too.")] = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Create an invite: a link by which one person can become your contact within a day."""
    from lpm_kernel.backends.qr import in_terminal
    from lpm_kernel.usecases.share import reach

    with opened() as node:
        here = meeting_of(node, passphrase_file)
        made = here.invite(
            note, address or (here.name and here.places()) or reach.addresses(node.ports.home)
        )
        said = [
            made.link,
            (
                "It is valid for one day and for one person. Whoever has it can pose as them, so"
                " send it privately."
            ),
        ]
        if qr:
            said = [in_terminal(made.link), *said]
        say({"id": made.id, "link": made.link, "expires": made.expires}, said, as_json=as_json)


@command(peer_app, "accept")
def peer_accept(
    link: Annotated[str, typer.Argument(help="The link they sent you.")],
    name: Annotated[str, typer.Option(help="What you call them.")] = "",
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for their answer, if this node is listening.")
    ] = 20.0,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Accept an invite. Your node says hello until theirs answers, for a day at most."""
    from lpm_kernel.domain.share.network import OutboxState
    from lpm_kernel.errors import NodeError
    from lpm_kernel.usecases.share.reach import begun

    with opened() as node:
        sent = meeting_of(node, passphrase_file).greet(link, name)
        until = time.monotonic() + (
            wait if begun(node.ports.home, node.ports.settings).addresses else 0
        )
        while (now := _row(node, sent)).state is OutboxState.WAITING and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
        if now.state is OutboxState.REFUSED:
            raise NodeError("Their node did not accept this invite.", "Ask for a new one.")
        if now.contact is None:
            say(
                {"state": now.state.value},
                "Your hello is waiting; it is sent once your node runs and theirs answers.",
                as_json=as_json,
            )
            return
        met = node.ports.contacts.get(now.contact)
        words = " ".join(met.words)
        said = [
            f"You are contacts now. Read these words aloud to each other: {words}",
            "If theirs differ, somebody is in between: end the contact.",
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
        typer.Argument(
            help="Part of a name, note, identity or address; all contacts unless given."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List your contacts, or those that match some words."""
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
            or ["No contacts yet. Create an invite with `lpm peer invite`."],
            as_json=as_json,
        )


def meeting_of(node: Node, passphrase_file: Path | None) -> Meeting:
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
            f"The file {file} cannot be read.", "Give a file whose first line is the passphrase."
        ) from error
    if not line:
        raise InvalidInputError(
            f"The first line of {file} is empty.", "Write the passphrase on it."
        )
    return line


def _row(node: Node, sent: OutboxRow) -> OutboxRow:
    row = node.ports.post.outgoing(sent.id)
    return sent if row is None else row
