"""What must always hold, whatever the bytes, grants and wishes are."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from protocol import limits
from protocol.answering import Answering
from protocol.encoding import frame, frame_length, from_b64u, from_base58, to_b64u, to_base58
from protocol.envelope import Signed, open_envelope, seal, sign
from protocol.grants import Consent, Cost, Grant, Held, Request, allows, narrower
from protocol.identity import Kind
from protocol.messages import GRANTED, Message, Verb
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.scope import Form, Layer, Row, RowKind, Scope, Wish
from protocol.session import Asking
from protocol.shape import _CONTROLS, _HIDDEN, read_json, write_json
from tests.protocol.twins import NOW, QUESTION, REPLY, Person, acquainted

ASAKO, BRAM = acquainted()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def refusal_of(act: Callable[[], object]) -> Refusal | None:
    """The refusal that something ends in; every other exception rises."""
    try:
        act()
    except Refusal as refusal:
        return refusal
    return None


def sealed(data: bytes) -> bytes:
    """Any json bytes, signed by Bram and sealed to Asako."""
    return seal(
        Signed(data, BRAM.keys.identity.sign(Kind.MESSAGE, data)), ASAKO.card.box, limits.REQUEST
    )


def opened(data: bytes) -> Message:
    return open_envelope(data, ASAKO.keys, BRAM.did, NOW).message


# --- bytes --------------------------------------------------------------------------------------


@given(st.binary(max_size=80))
def test_bytes_are_written_one_way_and_read_back(data: bytes) -> None:
    assert from_b64u(to_b64u(data)) == data
    assert from_base58(to_base58(data), len(data)) == data
    assert frame_length(frame(data), 80) == (len(data), 1)


@given(st.text(max_size=60))
def test_another_text_of_the_same_bytes_is_refused(text: str) -> None:
    for read, write in ((from_b64u, to_b64u), (lambda each: from_base58(each, 34), to_base58)):
        try:
            data = read(text)
        except ValueError:
            continue
        assert write(data) == text


@given(JSON)
def test_strict_json_reads_what_it_writes_within_its_depth(value: object) -> None:
    data = write_json(value)
    try:
        assert read_json(data) == value
    except Refusal:
        assert _depth(value) > limits.DEPTH


def _depth(value: object) -> int:
    inner = (
        value
        if isinstance(value, list)
        else list(value.values())
        if isinstance(value, dict)
        else None
    )
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


@given(st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()))
@example(b'"\\ud800"')
@example(b'{"\\udc00": 1}')
@example(b'"\\ud83d\\ude00"')
def test_any_bytes_are_read_as_json_or_refused(data: bytes) -> None:
    refusal = refusal_of(lambda: write_json(read_json(data)))
    assert refusal is None or refusal.code is Code.MALFORMED


def test_a_text_has_no_controls_but_tab_and_line_feed() -> None:
    for code in range(sys.maxunicode + 1):
        refused = unicodedata.category(chr(code)) in {"Cc", "Cs"} and chr(code) not in "\t\n"
        assert (_CONTROLS.search(chr(code)) is not None) == refused


def test_a_line_has_nothing_that_cannot_be_seen_but_joiners() -> None:
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    later = range(0x13430, 0x13440)  # Unicode 15 made some of them format characters
    for code in set(range(sys.maxunicode + 1)) - {*later}:
        refused = unicodedata.category(chr(code)) in hidden and chr(code) not in "\u200c\u200d"
        assert (_HIDDEN.search(chr(code)) is not None) == refused
    assert all(_HIDDEN.search(chr(code)) for code in later)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=4000))
def test_what_is_sealed_is_opened(question: str) -> None:
    message = BRAM.message(ASAKO.did, body={**QUESTION, "question": question}, grant=BRAM.id())
    envelope = seal(sign(message, BRAM.keys.identity), ASAKO.card.box, limits.REQUEST)
    assert (len(envelope) - limits.HEADER - limits.TAG) % limits.BLOCK == 0
    assert opened(envelope) == message


@given(
    st.binary(max_size=600), st.sampled_from([b"", b"SMP", b"SMP\x01", b"SMP\x01" + ASAKO.card.kid])
)
def test_random_blobs_are_refused(blob: bytes, start: bytes) -> None:
    refusal = refusal_of(lambda: opened(start + blob))
    assert refusal is not None
    assert refusal.re is None


@given(
    JSON
    | st.dictionaries(
        st.sampled_from(["v", "id", "iss", "aud", "ts", "exp", "verb", "body", "grant", "re"]), JSON
    )
)
def test_validly_signed_nonsense_is_refused(nonsense: Any) -> None:  # noqa: ANN401 - JSON
    value = (
        {**nonsense, "iss": BRAM.did, "aud": ASAKO.did} if isinstance(nonsense, dict) else nonsense
    )
    refusal = refusal_of(lambda: opened(sealed(write_json(value))))
    assert refusal is not None
    assert refusal.code in {Code.MALFORMED, Code.UNSUPPORTED_VERSION}


@given(
    st.sampled_from(["v", "id", "ts", "exp", "verb", "grant", "body"]),
    JSON,
    st.sampled_from([None, *QUESTION, "scope"]),
)
def test_one_field_of_nonsense_in_a_good_message(
    name: str, nonsense: object, inner: str | None
) -> None:
    fields = json.loads(BRAM.message(ASAKO.did, grant=BRAM.id()).json())
    if inner is None:
        fields[name] = nonsense
    else:
        fields["body"][inner] = nonsense
    refusal = refusal_of(lambda: opened(sealed(write_json(fields))))
    if refusal is None:
        assert json.loads(opened(sealed(write_json(fields))).json()) == fields
    else:
        assert refusal.code in {
            Code.MALFORMED,
            Code.UNSUPPORTED_VERSION,
            Code.FROM_FUTURE,
            Code.EXPIRED,
        }


# --- grants -------------------------------------------------------------------------------------

TAGS = ["food", "walks", "work"]
TIMES = [None, NOW - 200, NOW - 100, NOW]
LAYERS, KINDS, FORMS = list(Layer), list(RowKind)[:3], list(Form)
ROWS = [
    Row(layer, kind, frozenset(tags), at, private)
    for layer in LAYERS
    for kind in KINDS
    for tags in ([], ["food"], ["walks"], ["food", "work"])
    for at in (None, NOW - 201, NOW - 200, NOW - 101, NOW - 100, NOW - 1, NOW)
    for private in (False, True)
    if not private or tags
]


def some(values: list[Any]) -> st.SearchStrategy[frozenset[Any]]:
    return st.sets(st.sampled_from(values), min_size=1).map(frozenset)


def times() -> st.SearchStrategy[tuple[int | None, int | None]]:
    return st.sampled_from(
        [
            (since, until)
            for since in TIMES[:3]
            for until in (None, NOW - 100, NOW)
            if since is None or until is None or since < until
        ]
    )


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    since, until = draw(times())
    tags = draw(st.just(frozenset({"*"})) | some(TAGS))
    return Scope(
        tags,
        draw(some(KINDS)),
        draw(some(LAYERS)),
        since,
        until,
        draw(st.sampled_from(FORMS)),
        draw(st.sampled_from(["planning", "reading"])),
    )


@st.composite
def grants(draw: st.DrawFn) -> Grant:
    daily = Cost(
        draw(st.integers(0, 3)),
        draw(st.sampled_from([0, 1024, 5000])),
        draw(st.sampled_from([0, 10, 50])),
    )
    nbf, exp = (
        draw(st.sampled_from([NOW - 10, NOW, NOW + 1])),
        draw(st.sampled_from([NOW + 2, NOW + 10])),
    )
    who = draw(st.sampled_from([BRAM.did, BRAM.did, BRAM.did, "did:key:other"]))
    fields = {
        "verbs": draw(some(sorted(GRANTED))),
        "scope": draw(scopes()),
        "daily": daily,
        "consent": draw(st.sampled_from(Consent)),
    }
    return Grant("id", ASAKO.did, who, nbf, exp, **fields, depth=draw(st.integers(0, 1)))  # type: ignore[arg-type]


@st.composite
def requests(draw: st.DrawFn) -> Request:
    wish = Wish(
        tags=draw(st.none() | st.just(frozenset({"*"})) | some(TAGS)),
        kinds=draw(st.none() | some(KINDS)),
        layers=draw(st.none() | some(LAYERS)),
        since=draw(st.sampled_from(TIMES)),
        until=draw(st.sampled_from(TIMES)),
        form=draw(st.none() | st.sampled_from(FORMS)),
    )
    cost = Cost(1, draw(st.sampled_from([1024, 5000])), draw(st.sampled_from([0, 10])))
    return Request(
        BRAM.did,
        ASAKO.did,
        draw(st.sampled_from(sorted(GRANTED))),
        draw(st.sampled_from(["planning", "reading"])),
        wish,
        cost,
        draw(st.booleans()),
    )


@st.composite
def like(draw: st.DrawFn, grant: Grant) -> Request:
    """A request that often fits the grant."""
    request = draw(requests())
    own = {
        name: getattr(grant.scope, name)
        for name in ("tags", "kinds", "layers", "since", "until", "form")
    }
    kept = {name: value for name, value in own.items() if draw(st.booleans())}
    dropped = {name: None for name in own if name not in kept and draw(st.booleans())}
    wish = replace(request.wish, **kept, **dropped)
    return replace(
        request,
        wish=wish,
        purpose=grant.scope.purpose,
        verb=draw(st.sampled_from(sorted(grant.verbs))),
    )


def plainly(held: Held, request: Request, now: int) -> str:  # noqa: C901, PLR0911 - as long as the table that it says again
    """The table of grants.md once more, slowly, without the code's own comparisons. Gives a code,
    or "yes".
    """
    g, s, w = held.grant, held.grant.scope, request.wish
    if g.aud != request.by or g.iss != request.owner:
        return "no_grant"
    if held.revoked:
        return "revoked"
    if now < g.nbf or now >= g.exp:
        return "grant_expired"
    if request.verb not in set(g.verbs) or request.purpose != s.purpose:
        return "out_of_scope"
    for named, granted in ((w.layers, s.layers), (w.kinds, s.kinds)):
        if named is not None and [each for each in named if each not in granted]:
            return "out_of_scope"
    if w.tags is not None and "*" not in s.tags and [tag for tag in w.tags if tag not in s.tags]:
        return "out_of_scope"
    first, last = s.since if s.since is not None else -1, s.until if s.until is not None else 10**12
    wished_first, wished_last = (
        first if w.since is None else w.since,
        last if w.until is None else w.until,
    )
    if wished_first < first or wished_last > last or wished_first >= wished_last:
        return "out_of_scope"
    order = ["answer", "summary", "excerpt", "verbatim"]
    if w.form is not None and order.index(w.form) > order.index(s.form):
        return "out_of_scope"
    if request.verb == "fetch" and (w.form or s.form) != "verbatim":
        return "out_of_scope"
    for name in ("calls", "bytes", "tokens"):
        if getattr(held.spent, name) + getattr(request.cost, name) > getattr(g.daily, name):
            return "over_budget"
    return "yes" if g.consent == "auto" or request.consented else "consent_required"


def inside(scope: Scope, rows: list[Row]) -> set[int]:
    return {at for at, row in enumerate(rows) if scope.holds(row)}


@given(st.data(), grants(), st.booleans(), st.integers(0, 2))
def test_allows_never_grants_more_than_each_field_says(
    data: st.DataObject, grant: Grant, revoked: bool, calls: int
) -> None:
    request = data.draw(like(grant) | requests())
    held = Held(grant, revoked, Cost(calls, calls * 1024, calls * 5))
    decided = allows(held, request, NOW)
    expected = plainly(held, request, NOW)
    if isinstance(decided, Refusal):
        assert decided.code == expected
        return
    assert expected == "yes"
    rows = inside(decided, ROWS)
    assert not any(ROWS[at].private for at in rows)
    assert rows <= inside(grant.scope, ROWS)
    wish = request.wish
    for row in (ROWS[at] for at in rows):
        assert wish.layers is None or row.layer in wish.layers
        assert wish.kinds is None or row.kind in wish.kinds
        assert wish.tags is None or "*" in wish.tags or wish.tags & row.tags
        assert wish.since is None or (row.at is not None and row.at >= wish.since)
        assert wish.until is None or (row.at is not None and row.at < wish.until)
    assert decided.form.rank <= grant.scope.form.rank
    assert decided.purpose == grant.scope.purpose == request.purpose


@given(scopes())
def test_a_row_is_inside_when_each_field_says_so(scope: Scope) -> None:
    for row in ROWS:
        says = [
            row.layer in scope.layers,
            row.kind in scope.kinds,
            "*" in scope.tags or any(tag in scope.tags for tag in row.tags),
            row.private is False,
        ]
        says.append(scope.since is None or (row.at is not None and row.at >= scope.since))
        says.append(scope.until is None or (row.at is not None and row.at < scope.until))
        assert scope.holds(row) == all(says)


@st.composite
def chains(draw: st.DrawFn) -> list[Grant]:
    """Three grants, each often narrower than the one before."""
    found = [draw(grants())]
    for _ in range(2):
        grant, other = found[-1], draw(grants())
        scope = replace(
            grant.scope,
            **{
                name: getattr(other.scope, name)
                for name in ("tags", "kinds", "layers", "form")
                if draw(st.integers(0, 4)) == 0
            },
        )
        fields = {
            name: getattr(other, name)
            for name in ("verbs", "daily", "consent", "nbf", "exp", "depth")
            if draw(st.integers(0, 4)) == 0
        }
        found.append(replace(grant, scope=scope, **fields))
    return found


def powers(grant: Grant) -> tuple[object, ...]:
    return (grant.verbs, grant.scope, grant.nbf, grant.exp, grant.daily, grant.consent, grant.depth)


@given(chains())
def test_narrower_is_a_partial_order(chain: list[Grant]) -> None:
    a, b, c = chain
    assert all(narrower(each, each) for each in chain)
    if narrower(a, b) and narrower(b, a):
        assert powers(a) == powers(b)
    for x, y, z in ((a, b, c), (c, b, a), (b, a, c), (b, c, a)):
        if narrower(x, y) and narrower(y, z):
            assert narrower(x, z)


@given(st.data(), chains())
def test_what_a_narrower_grant_allows_the_wider_one_allows(
    data: st.DataObject, chain: list[Grant]
) -> None:
    wide, narrow = (chain[0], chain[1]) if narrower(chain[1], chain[0]) else (chain[1], chain[0])
    assume(narrower(narrow, wide))
    request = data.draw(like(narrow))
    decided = allows(Held(narrow), request, NOW)
    if isinstance(decided, Scope):
        above = allows(Held(wide), request, NOW)
        assert isinstance(above, Scope)
        assert decided.within(above)
        assert inside(decided, ROWS) <= inside(above, ROWS)


@given(st.data(), chains())
def test_a_passed_on_grant_allows_no_more_than_its_parent_to_its_audience(
    data: st.DataObject, chain: list[Grant]
) -> None:
    parent = replace(chain[0], aud=BRAM.did, id="parent")
    child = replace(chain[1], iss=BRAM.did, aud=ASAKO.did, parent="parent")
    request = replace(data.draw(like(child)), by=ASAKO.did)
    decided = allows(Held(child, parent=Held(parent)), request, NOW)
    if isinstance(decided, Scope):
        assert (parent.depth, child.depth) == (1, 0)
        above = allows(Held(parent), replace(request, by=BRAM.did), NOW)
        assert isinstance(above, Scope)
        assert inside(decided, ROWS) <= inside(above, ROWS)
    elif not (narrower(child, parent) and parent.depth == 1 and child.depth == 0):
        assert decided.code is Code.ESCALATION


# --- sessions -----------------------------------------------------------------------------------

ACTS = st.one_of(
    st.tuples(st.just("feed"), st.binary(max_size=400)),
    st.tuples(st.just("good"), st.integers(0, 700)),
    st.tuples(st.sampled_from(["take", "end", "answer", "refuse", "abandon"]), st.just(b"")),
)


@given(st.lists(ACTS, max_size=12), st.sampled_from(list(Verb)[:-1]))
def test_any_bytes_in_any_order_end_in_events(acts: list[tuple[str, Any]], verb: Verb) -> None:
    asako, bram = acquainted()
    grant = asako.gives(bram).id if verb in GRANTED else None
    bodies: dict[Verb, dict[str, object]] = {
        Verb.BYE: {},
        Verb.CARD: {"card": bram.card.text},
        Verb.ASK: dict(QUESTION),
    }
    asking = Asking(
        bram.node, asako.card, bram.message(asako.did, verb, bodies.get(verb, {}), grant)
    )
    asking.ask()
    request = asking.take()
    end, out, at = (
        Answering(asako.node, bram.card.peer, asako.books.contacts[bram.card.peer]),
        b"",
        0,
    )
    for act, what in acts:
        try:
            if act == "feed":
                end.feed(what, NOW)
                asking.feed(what, NOW)
            elif act == "good":
                end.feed(request[at : at + what], NOW)
                at += what
            elif act == "take":
                out += end.take()
            elif act == "end":
                end.end()
            elif act == "answer":
                end.answer(REPLY, NOW)
            elif act == "refuse":
                end.refuse(Code.BUSY, NOW)
            else:
                end.abandon()
        except LocalProtocolError:
            assert act in {"answer", "refuse"}
    out += end.take()
    asking.feed(out, NOW)
    asking.end()
    if grant is not None:
        spent = asako.books.grants[grant].spent
        assert Cost().within(spent)
        assert spent.within(Cost(1, 20_000, 200))


def test_two_people_of_the_same_seed_are_the_same() -> None:
    assert Person("asako").card == ASAKO.card
