"""The whole sample life is asked about, by every verb and in every form, and what passed on the
wire is searched for its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.gate import never
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.ports import ChatMessage, Delta, Sampling
from lpm_kernel.domain.share.network import Amount
from lpm_kernel.peer import inward, pace
from lpm_kernel.peer.delivery import ask
from lpm_kernel.usecases.home.sample import add_sample_life
from lpm_kernel.usecases.share import outgoing
from protocol import limits
from protocol.events import Answered, Event
from protocol.identity import PeerId
from protocol.messages import Message, Verb
from protocol.scope import Form, Layer, RowKind, Scope
from tests.integration.test_peer_answers import CANARY, Place
from tests.lives import LIVES
from tests.peers import Peer, Tap, until
from tests.serving import served

FORMS = ("answer", "summary", "excerpt", "verbatim")
SHORTEST, CHANCE = 5, 1e-6
BEFORE_NOISE = (b"\x13/multistream/1.0.0\n", b"\x07/noise\n")
"""What has to be said in clear."""
LATIN = re.compile(rb"[A-Za-z]{%d,}" % SHORTEST)
JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]{3,}")
JAPANESE_BYTES = re.compile(
    rb"(?:\xe3[\x81-\x83\x90-\xbf][\x80-\xbf]|[\xe4-\xe9][\x80-\xbf]{2}){3,}"
)


class Parrot(ScriptedModel):
    """A model that says what it was shown, so that all of it may leave that a grant covers."""

    def __init__(self) -> None:
        super().__init__([(".", "I do not know.")])

    def stream(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling = Sampling(),  # noqa: ARG002  as its parent has it
        gone: Any = never,  # noqa: ARG002, ANN401  as its parent has it
    ) -> Iterator[Delta]:
        return iter([Delta(" ".join(each.content for each in messages)[-1_500:])])


def words_of(texts: Sequence[bytes]) -> tuple[set[bytes], set[str]]:
    """Give every word of five letters and more, and every three Japanese signs that stand
    together.
    """
    latin = {word for text in texts for word in LATIN.findall(text)}
    runs = {run for text in texts for run in JAPANESE.findall(text.decode("utf-8", "ignore"))}
    return latin, {run[at : at + 3] for run in runs for at in range(len(run) - 2)}


def found_in(
    capture: bytes, latin: set[bytes], japanese: set[str]
) -> tuple[list[bytes], list[str]]:
    """Give the words that stand in what was captured."""
    longest = max(map(len, latin))
    pieces = {
        run[at:end]
        for run in LATIN.findall(capture)
        for at in range(len(run))
        for end in range(at + SHORTEST, min(len(run), at + longest) + 1)
    }
    runs = [run.decode("utf-8", "ignore") for run in JAPANESE_BYTES.findall(capture)]
    return sorted(pieces & latin), sorted(
        {run[at : at + 3] for run in runs for at in range(len(run) - 2)} & japanese
    )


def test_of_a_whole_life_that_is_asked_about_nothing_can_be_read_on_the_way(tmp_path: Path) -> None:
    folder, place = tmp_path / "nagi", Place()
    everything: dict[str, Any] = {
        "verbs": ("ask", "recall"),
        "layers": ("L0", "L1", "L2"),
        "daily": Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY),
    }
    life = LIVES / "nagi"
    questions = [
        json.loads(line)["question"]
        for name in ("questions", "more-questions")
        for line in (life / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    with (
        Peer(folder, "Nagi Sorrel", inward.through_node(Home(folder), place), Parrot()) as nagi,
        Peer(tmp_path / "bram", "Bartholomew") as bram,
    ):
        nagi.speaker.books.pace.rates = {verb: pace.Rate(10**6, 0.001) for verb in pace.RATES}
        add_sample_life(nagi.node.library.receive, nagi.node.ports.conversations)
        nagi.node.run_jobs()
        tap = Tap(nagi.port)
        with served(create_app(nagi.node)) as place.url, tap.open():
            link = nagi.invite(f"/ip4/127.0.0.1/tcp/{tap.port}")
            bram.outcome(bram.accept(link))
            of_nagi = bram.knows(nagi)
            given = [nagi.gives(bram, form=form, **everything).id for form in FORMS]
            until(lambda: len(bram.node.ports.permissions.received()) == len(FORMS))
            said: list[str] = []

            async def all_of_it() -> None:
                card = nagi.keystore.card(nagi.name)
                async with bram.host.wire.dialled(
                    f"/ip4/127.0.0.1/tcp/{tap.port}", PeerId(of_nagi.peer)
                ) as connection:
                    for number, question in enumerate(questions):
                        for verb, more in (
                            (Verb.RECALL, {"query": question, "most": 8}),
                            (Verb.ASK, {"question": question, "tokens": 300}),
                        ):
                            body = {**more, "purpose": "a visit", "bytes": 50_000}
                            now, mine = bram.speaker.now, bram.keystore.keys.identity.did
                            grant = given[(number + (verb is Verb.ASK)) % len(FORMS)]
                            event: Event = await ask(
                                bram.host,
                                connection,
                                card,
                                Message(
                                    outgoing.new_id(),
                                    mine,
                                    card.did,
                                    now,
                                    now + 600,
                                    verb,
                                    body,
                                    grant,
                                ),
                            )
                            assert isinstance(event, Answered), event
                            said.append(json.dumps(event.body, ensure_ascii=False))

            bram.call(all_of_it)
        everywhere = Scope(
            frozenset({"*"}),
            frozenset(RowKind),
            frozenset(Layer),
            None,
            None,
            Form.VERBATIM,
            "a visit",
        )
        # what was read from files that are packed
        rows = nagi.node.replying.answerer().inside(everywhere).rows.values()
        texts = [
            *(path.read_bytes() for path in life.rglob("*") if path.is_file()),
            *(row.chunk.text.encode() for row in rows),
        ]
        secrets = [
            *given,
            nagi.keystore.keys.identity.did,
            bram.keystore.keys.identity.did,
            *of_nagi.words,
            "Nagi Sorrel",
            "Bartholomew",
            "a visit",
        ]
    capture = bytes(tap.seen)
    for each in BEFORE_NOISE:
        capture = capture.replace(each, b"")
    latin, japanese = words_of(texts)
    left = "".join(said).encode()
    told = found_in(left, latin, japanese)
    assert min(len(told[0]), len(told[1])) > 300, (
        "hardly anything was said, so hardly anything could be read"
    )
    assert len(capture) > len(left)
    assert not [
        each
        for each in (*secrets, CANARY, *CANARY.split())
        if len(each) >= 2 * SHORTEST and each.encode() in capture
    ]
    assert CANARY not in "".join(said)
    read, signs = found_in(capture, latin, japanese)
    # nine bytes each: in three megabytes of chance one of 30,000 stands once in fifty billion times
    assert signs == []
    sure = next(
        length
        for length in range(SHORTEST, 20)
        if sum(len(capture) / 256 ** len(word) for word in latin if len(word) >= length) < CHANCE
    )
    assert [word for word in read if len(word) >= sure] == []
    by_chance = sum(len(capture) / 256 ** len(word) for word in latin if len(word) < sure)
    # words of five and six letters may be there by chance, and no more of them
    assert len(read) <= 2 + 4 * by_chance, (read, by_chance)
