"""From names in passages to entities: which spellings are one, what each is the name of, and what
the person decided about it.

Pure and deterministic: the same mentions, in any order, and the same decisions give the same
entities. Spellings fold into one only where that is safe: case, width, accents, "the", hyphens,
titles (Mr Ide, 井出さん), and a first or family name into the one full name that begins with it.
Two people of one name stay one until the person splits them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import (
    Entities,
    Entity,
    EntityDecision,
    EntityKind,
    EntityVerdict,
    Mention,
    Party,
    PassageStanding,
    Sign,
)
from lpm_kernel.L1.entities.short_names import (
    HAN_OR_KANA,
    Circle,
    circles_of,
    longer_names,
    share_a_circle,
)

TITLES_BEFORE = frozenset(
    """
    mr mrs ms miss mx dr dra prof professor sir dame herr frau fru monsieur madame mme mlle señor
    señora sr sra srta don doña dona senhor senhora signor signora
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
TITLES_AFTER = ("さん", "ちゃん", "くん", "君", "先生", "様", "さま", "氏", "さん達")
TITLES_ROMANISED = ("-san", "-chan", "-kun", "-sama", "-sensei")
ADDRESSED = {
    "mr": "mr sir don señor sr senhor signor herr monsieur",
    "mrs": "mrs ms miss dame doña dona señora sra srta senhora signora frau fru madame mme mlle",
    "dr": "dr dra prof professor",
}
"""Titles of which one person has those of one line."""
PERSON = {
    Sign.SPEAKS: 4.0,
    Sign.TITLED: 4.0,
    Sign.ACTS: 1.5,
    Sign.WITH: 1.0,
    Sign.OWNS: 0.75,
    Sign.LISTED_PERSON: 0.5,
}
PLACE = {Sign.WITHIN: 1.5, Sign.TOWARDS: 1.0, Sign.LISTED_PLACE: 0.5, Sign.SITE: 4.0}
THING = {Sign.OWNED: 1.0}
IDEA = {Sign.ABSTRACT: 4.0}
"""How much each sign speaks for a kind, for every passage that has it; set by hand, and checked
against labelled names (see the log).
"""
SURE = 1.0
"""Points from which on a kind is believed."""
CLEAR = 1.25
"""How many times as many points as the next kind it needs."""

_TITLE = re.compile(rf"^(?:{'|'.join(sorted(TITLES_BEFORE))})\.? (?=\S)")
_THE = re.compile(r"^the (?=\S)")
_BETWEEN = re.compile(r"[\s\-_\u2010-\u2015]+")
_OF_ONE = re.compile(r"['\u2019]s$")
_SIGNS = re.compile(r"[^\w]+")


@dataclass
class _Draft:
    """An entity while decisions are applied."""

    slug: str
    keys: set[str]
    said: list[Mention] = field(repr=False)
    name: str | None = None
    kind: EntityKind | None = None
    self: bool = False
    hidden: bool = False


def key_of(surface: str) -> str:
    """Return a spelling as it is compared.

    >>> (key_of("The Castle") == key_of("the-castle"), key_of("Mr Ide") == key_of("Ide"),
    ...  key_of("井出さん"))
    (True, True, '井出')
    """
    plain = _OF_ONE.sub("", unicodedata.normalize("NFKC", surface).strip().casefold())
    plain = next(
        (
            plain.removesuffix(title)
            for title in TITLES_ROMANISED
            if plain.endswith(title) and plain != title
        ),
        plain,
    )
    plain = _BETWEEN.sub(" ", plain).strip()
    if plain.isascii() or not HAN_OR_KANA.search(plain):
        plain = "".join(
            sign for sign in unicodedata.normalize("NFD", plain) if not unicodedata.combining(sign)
        )
    else:
        plain = next(
            (
                plain.removesuffix(title).strip()
                for title in TITLES_AFTER
                if plain.endswith(title) and plain != title
            ),
            plain,
        )
        plain = (
            plain.replace(" ", "") if HAN_OR_KANA.fullmatch(plain.replace(" ", "")[:1]) else plain
        )
    bare = _TITLE.sub("", _THE.sub("", plain))
    return bare.strip(" .,;:!?\"'()[]「」『』・") or plain


def keyed(mentions: Iterable[Mention]) -> list[tuple[str, Mention]]:
    """Return mentions with their keys: titles are left out of them, unless a name has titles of
    two people. Mr Hartley and Mrs Hartley are two, and a bare Hartley may be either.
    """
    plain = [(key_of(each.surface), each) for each in mentions]
    titles: dict[str, set[str]] = {}
    for key, each in plain:
        if title := title_of(each.surface):
            titles.setdefault(key, set()).add(title)
    return [
        (
            f"{title} {key}"
            if len(titles.get(key, ())) > 1 and (title := title_of(each.surface))
            else key,
            each,
        )
        for key, each in plain
    ]


def title_of(surface: str) -> str:
    """Say how somebody is addressed, where that tells two people apart.

    >>> title_of("Mrs. Hartley"), title_of("Sir Tom"), title_of("Hartley")
    ('mrs', 'mr', '')
    """
    first = surface.strip().partition(" ")[0].rstrip(".").casefold()
    return next((title for title, forms in ADDRESSED.items() if first in forms.split()), "")


def slug_of(key: str) -> str:
    """Return how a key stands in addresses: words joined by hyphens, Japanese as it is written.

    >>> slug_of("mai terasawa"), slug_of("井出"), slug_of("c/o")
    ('mai-terasawa', '井出', 'c-o')
    """
    return _SIGNS.sub("-", key).strip("-_")[:120] or "x" + "".join(
        f"{ord(sign):x}" for sign in key[:20]
    )


def entities(
    mentions: Iterable[Mention],
    standings: Mapping[int, PassageStanding],
    decisions: Sequence[EntityDecision] = (),
    owner: str = "",
) -> Entities:
    """Return the entities of these mentions; ``owner`` is the name of the person whose node this
    is.
    """
    by_key: dict[str, list[Mention]] = {}
    for key, each in keyed(each for each in mentions if each.row in standings):
        by_key.setdefault(key, []).append(each)
    drafts, became = _folded(by_key, circles_of(by_key, standings), owner)
    decided: dict[str, list[EntityDecision]] = {}
    for decision in sorted(decisions, key=lambda each: (each.at, each.id)):
        _apply(drafts, became, decided, decision, standings)
    found = sorted(
        (_finished(draft, standings) for draft in drafts.values() if draft.said),
        key=lambda each: (-len(each.rows), each.slug),
    )
    at: dict[int, list[str]] = {}
    for entity in found:
        for row in () if entity.hidden else entity.rows:
            at.setdefault(row, []).append(entity.slug)
    return Entities(
        by_slug={each.slug: each for each in found},
        became={old: new for old in sorted(became) if (new := _now(became, old)) != old},
        decided=decided,
        at={row: tuple(sorted(at[row])) for row in sorted(at)},
    )


def party(
    entity: Entity, mentions: Iterable[Mention], standings: Mapping[int, PassageStanding]
) -> Party:
    """Return an entity as a decision keeps it."""
    rows, forms = set(entity.rows), dict[str, set[DocumentId]]()
    for key, mention in keyed(mentions):
        if mention.row in rows and key in entity.keys:
            forms.setdefault(key, set()).add(standings[mention.row].document)
    return Party(entity.slug, entity.name, {key: frozenset(forms[key]) for key in sorted(forms)})


def known_by(decision: EntityDecision, documents: Collection[DocumentId]) -> EntityDecision | None:
    """Return a decision as somebody may know it who has these documents alone; ``None`` where one
    of its entities is in none of them.
    """
    parties = []
    for each in decision.parties:
        forms = {
            form: there
            for form, known in each.forms.items()
            if (there := frozenset(known & set(documents)))
        }
        if not forms:
            return None
        name = each.name if key_of(each.name) in forms else next(iter(forms))
        slug = each.slug if forms.keys() == each.forms.keys() else slug_of(next(iter(forms)))
        parties.append(Party(slug, name, forms))
    along = decision.documents & set(documents)
    return (
        None
        if decision.documents and not along
        else replace(decision, parties=tuple(parties), documents=along)
    )


def kind_of(said: Iterable[Mention]) -> EntityKind:
    """Say what a name is the name of, by what stands beside it."""
    counts: Counter[Sign] = Counter()
    for mention in said:
        counts.update(sign for sign in Sign if sign & mention.signs)
    points = {
        kind: sum(weight * counts[sign] for sign, weight in weights.items())
        for kind, weights in (
            (EntityKind.PERSON, PERSON),
            (EntityKind.PLACE, PLACE),
            (EntityKind.THING, THING),
            (EntityKind.IDEA, IDEA),
        )
    }
    best, second = sorted(points, key=lambda kind: -points[kind])[:2]
    return (
        best
        if points[best] >= SURE and points[best] >= CLEAR * points[second]
        else EntityKind.UNKNOWN
    )


def _folded(
    by_key: Mapping[str, list[Mention]], circles: Mapping[str, Circle], owner: str
) -> tuple[dict[str, _Draft], dict[str, str]]:
    """Put the keys together that are safely one."""
    kinds = {key: kind_of(said) for key, said in by_key.items()}
    nobody = own_keys(owner)
    into = _full_names(by_key, circles, kinds, nobody)
    mine = sorted(
        key
        for key in by_key
        if key in nobody and kinds[key] in {EntityKind.PERSON, EntityKind.UNKNOWN}
    )
    heads = {_now(into, key) for key in mine}
    main = max(
        heads,
        key=lambda key: (owner.startswith(_spelling(by_key[key])[0]), len(by_key[key]), key),
        default=None,
    )
    into.update({head: main for head in heads if main is not None and head != main})
    drafts: dict[str, _Draft] = {}
    slugs: dict[str, str] = {}
    for key in sorted(by_key, key=lambda each: (each in into, each)):
        head = _now(into, key)
        if head == key:
            slugs[key] = _free(slug_of(key), drafts)
            drafts[slugs[key]] = _Draft(slugs[key], {key}, list(by_key[key]), self=key == main)
        else:
            drafts[slugs[head]].keys.add(key)
            drafts[slugs[head]].said += by_key[key]
    became = {
        slug: slugs[_now(into, key)] for key in sorted(into) if (slug := slug_of(key)) not in drafts
    }
    return drafts, became


def _full_names(
    by_key: Mapping[str, list[Mention]],
    circles: Mapping[str, Circle],
    kinds: Mapping[str, EntityKind],
    nobody: Collection[str],
) -> dict[str, str]:
    """Return the full names of those that are given by a part of them. A Japanese family name alone
    may be anybody's of the family, or of another one, so that needs a reason.
    """
    longer = longer_names(by_key)
    return {
        key: full
        for key in by_key
        if (full := _full_name(key, longer, by_key, kinds)) is not None
        and (not HAN_OR_KANA.match(key) or share_a_circle(circles[key], circles[full], nobody))
    }


def _full_name(
    key: str,
    longer: Mapping[str, Sequence[str]],
    by_key: Mapping[str, list[Mention]],
    kinds: Mapping[str, EntityKind],
) -> str | None:
    """Return the one full name of a person that begins with this first or family name."""
    if (
        kinds[key] not in {EntityKind.PERSON, EntityKind.UNKNOWN}
        or " " in key
        or (len(key) == 1 and HAN_OR_KANA.match(key))
    ):
        return None
    known = [
        other
        for other in longer.get(key, ())
        if kinds[other] is EntityKind.PERSON
        or (
            kinds[key] is EntityKind.PERSON
            and kinds[other] is EntityKind.UNKNOWN
            and _is_marked(by_key[other])
        )
    ]
    return known[0] if len(known) == 1 else None


def _is_marked(said: Iterable[Mention]) -> bool:
    return any(Sign.MARKED in mention.signs for mention in said)


def own_keys(owner: str) -> set[str]:
    """Return how the owner may be called: the whole name, and the given name."""
    names: set[str] = set()
    for written in re.split(r"[()（）/,、]", owner):
        words = [key_of(word) for word in written.split()]
        names.update(
            {key_of(written), *words[:1], *([] if written.isascii() else words[-1:])}
            if words
            else set()
        )
    return names - {""}


def _apply(
    drafts: dict[str, _Draft],
    became: dict[str, str],
    decided: dict[str, list[EntityDecision]],
    decision: EntityDecision,
    standings: Mapping[int, PassageStanding],
) -> None:
    """Do what a decision says; one whose entities are not there rests."""
    there = [
        each
        for each in (_resolved(drafts, became, known) for known in decision.parties)
        if each is not None
    ]
    if not there or (resolved := _resolved(drafts, became, decision.parties[0])) is None:
        return
    subject = resolved
    touched = {subject.slug}
    if decision.verdict is EntityVerdict.MERGE:
        subject.name = subject.name or _spelling(subject.said)[0]
        subject.kind = subject.kind or _known(kind_of(subject.said))
        for slug in _merge(subject, there):
            became[slug] = subject.slug
            decided.setdefault(subject.slug, []).extend(decided.pop(slug, []))
            del drafts[slug]
    elif decision.verdict is EntityVerdict.APART:
        touched |= {draft.slug for draft in there}
    elif decision.verdict is EntityVerdict.SPLIT and decision.name:
        fresh = _split(subject, decision.name, decision.documents, drafts, standings)
        if fresh is None:
            return
        drafts[fresh.slug] = fresh
        became.pop(fresh.slug, None)
        touched.add(fresh.slug)
    else:
        subject.name = decision.name or subject.name
        subject.kind = decision.kind or subject.kind
        subject.hidden = subject.hidden if decision.hidden is None else decision.hidden
    for slug in sorted(touched):
        decided.setdefault(slug, []).append(decision)


def _merge(subject: _Draft, there: Iterable[_Draft]) -> list[str]:
    """Give an entity what others have, and return the slugs of those."""
    others = {draft.slug: draft for draft in there if draft is not subject}
    for other in others.values():
        subject.keys |= other.keys
        subject.said += other.said
        subject.self = subject.self or other.self
    return list(others)


def _split(
    subject: _Draft,
    name: str,
    documents: Collection[DocumentId],
    taken: Collection[str],
    standings: Mapping[int, PassageStanding],
) -> _Draft | None:
    """Take out of an entity what these documents say of it; ``None`` where that is nothing, or
    everything.
    """
    along = [mention for mention in subject.said if standings[mention.row].document in documents]
    if not along or len(along) == len(subject.said):
        return None
    subject.said = [
        mention for mention in subject.said if standings[mention.row].document not in documents
    ]
    return _Draft(
        _free(slug_of(key_of(name)), taken),
        {_key_among(subject.keys, mention) for mention in along},
        along,
        name=name,
        kind=subject.kind,
    )


def _key_among(keys: Collection[str], mention: Mention) -> str:
    key = key_of(mention.surface)
    return key if key in keys else f"{title_of(mention.surface)} {key}"


def _resolved(
    drafts: Mapping[str, _Draft], became: Mapping[str, str], known: Party
) -> _Draft | None:
    """Return the entity that a decision means: by its slug, or the one with most of its
    spellings.
    """
    if (there := drafts.get(_now(became, known.slug))) is not None:
        return there
    alike = [(len(draft.keys & known.forms.keys()), draft.slug) for draft in drafts.values()]
    best = min(alike, key=lambda each: (-each[0], each[1]), default=(0, ""))
    return drafts[best[1]] if best[0] else None


def _finished(draft: _Draft, standings: Mapping[int, PassageStanding]) -> Entity:
    spellings = _spelling(draft.said)
    name = draft.name or spellings[0]
    rows = sorted({mention.row for mention in draft.said})
    moments = [moment for row in rows if (moment := standings[row].moment) is not None]
    return Entity(
        slug=draft.slug,
        name=name,
        kind=draft.kind or kind_of(draft.said),
        aliases=tuple(spelling for spelling in spellings if spelling != name),
        keys=frozenset(draft.keys),
        rows=tuple(rows),
        first=min(moments, default=None),
        last=max(moments, default=None),
        self=draft.self,
        hidden=draft.hidden,
    )


def _spelling(said: Sequence[Mention]) -> list[str]:
    """Return the spellings, the most frequent first; one that is only a handle (``the-castle``)
    comes after those that are words.
    """
    counts = Counter(mention.surface for mention in said)
    return sorted(
        counts,
        key=lambda each: (
            "-" in each and each == each.lower() and each.isascii(),
            -counts[each],
            each,
        ),
    )


def _known(kind: EntityKind) -> EntityKind | None:
    return None if kind is EntityKind.UNKNOWN else kind


def _now(became: Mapping[str, str], slug: str) -> str:
    """Follow what became of something to its end."""
    seen = {slug}
    while (following := became.get(slug)) is not None and following not in seen:
        seen.add(following)
        slug = following
    return slug


def _free(slug: str, taken: Collection[str]) -> str:
    number, free = 1, slug
    while free in taken:
        number += 1
        free = f"{slug}-{number}"
    return free
