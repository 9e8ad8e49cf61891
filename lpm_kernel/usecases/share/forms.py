"""How literally an answer leaves: the form of the grant, the mask over what must not leave, and the
cut to what was asked for.

protocol/spec/messages.md says what each form lets out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import AnswerPart, Citation, PartKind
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.answering.answer import plain_text
from lpm_kernel.L1.answering.redaction import redact
from lpm_kernel.usecases.share.view import Covered
from protocol.encoding import to_b64u
from protocol.scope import Form, Layer
from protocol.shape import write_json

LITERAL: Final = 12
"""Words in a row, as they stand in a row, with which a sentence counts as a quotation; a sign that
is written without blanks counts half.
"""
MOST_CITES, LONGEST_QUOTE, LONGEST_ROW, LONGEST_TEXT = 64, 2_000, 20_000, 65_536
"""Of the protocol's answers (protocol/spec/messages.md)."""
LEFT_OUT: Final = "…"
"""What stands for a text that may not leave, or that is shorter than it was."""
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+?(?=[\u3040-\u30ff\u3400-\u9fff]|\b)"
)
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ENDS: Final = re.compile("\r\n|[\r\x0b\x0c\x85]")
_UNSAYABLE: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_CUT: Final[Mapping[Language, str]] = {
    "en": "(The rest did not fit into what was asked for.)",
    "ja": "（求められた長さに収まらないため、ここまでです。）",
    "zh": "（超出要求的长度，到此为止。）",
}
_NOT_IN_WORDS: Final[Mapping[Language, str]] = {
    "en": "There is something about that, but I cannot put it into words of my own.",
    "ja": "それについての記憶はありますが、自分の言葉では言い表せません。",
    "zh": "关于这件事有记录，但我无法用自己的话说出来。",
}

Mask = Callable[[str], str]
"""Masks what must not leave."""


@dataclass(frozen=True)
class Leaving:
    """Who it leaves for, in what form, and how much of it."""

    form: Form
    to: str
    """The DID of the contact."""
    key: str = field(repr=False)
    """A secret of the home, by which rows get names for this contact alone."""
    mask: Mask
    most: int
    """Bytes of the answer's body."""
    language: Language

    @property
    def quotes(self) -> bool:
        """Tell whether words of a row may leave."""
        return self.form.rank >= Form.EXCERPT.rank


@dataclass(frozen=True)
class _Stretch:
    """A sentence of the answer, and what it rests on."""

    text: str
    cites: tuple[Mapping[str, Any], ...]


def asked(
    leaving: Leaving,
    parts: Sequence[AnswerPart],
    cited: Mapping[int, tuple[Citation, Covered]],
    sources: Sequence[str],
    tokens: int,
) -> dict[str, Any]:
    """Give the answer to ``ask``. ``cited`` is what the parts cite, by number; ``sources`` are
    texts that may not be repeated where nothing is quoted.
    """
    said = (
        parts
        if leaving.quotes
        else [
            answer_part
            for answer_part in parts
            if _is_worded(answer_part, cited) and not is_literal(answer_part.text, sources)
        ]
    )
    numbers = {number: _cite(leaving, citation, row) for number, (citation, row) in cited.items()}
    if said:
        texts = [
            plain_text([answer_part]) if leaving.quotes else answer_part.text
            for answer_part in said
        ]
        told = [
            _Stretch(
                leaving.mask(text), tuple(numbers[n] for n in answer_part.citations if n in numbers)
            )
            for answer_part, text in zip(said, texts, strict=True)
        ]
    else:
        told = [_Stretch(_NOT_IN_WORDS[leaving.language], tuple(numbers.values()))]
    return _fitted(
        leaving, told, {"abstained": False, "form": leaving.form.value, "tokens": tokens}
    )


def nothing(leaving: Leaving, text: str, tokens: int) -> dict[str, Any]:
    """Give the answer to ``ask`` where nothing is known."""
    return {
        "text": leaving.mask(text),
        "abstained": True,
        "form": leaving.form.value,
        "cites": [],
        "tokens": tokens,
    }


def recalled(
    leaving: Leaving, question: Question, found: Sequence[tuple[Recalled, Covered]]
) -> dict[str, Any]:
    """Give the answer to ``recall``: the rows that were found, the best first, as many as fit."""
    items = [
        {
            **_place(leaving, row),
            "form": leaving.form.value,
            "text": leaving.mask(_text(leaving.form, question, item))[:LONGEST_ROW] or LEFT_OUT,
        }
        for item, row in found
    ]
    while items and len(write_json({"items": items})) > leaving.most:
        items.pop()
    return {"items": items}


def _is_worded(part: AnswerPart, cited: Mapping[int, tuple[Citation, Covered]]) -> bool:
    """Tell whether a part says something in words that are not those of a text: the model's own, or
    a statement's, which are a wording already.
    """
    rows = [cited[n][1] for n in part.citations if n in cited]
    repeats = (
        part.kind is PartKind.QUOTATION
        and bool(rows)
        and all(row.layer is Layer.WORDS for row in rows)
    )
    return part.kind is PartKind.STATEMENT or repeats


def sayable(text: str) -> str:
    r"""Give a text without the control characters that the protocol lets nobody say: the ends of
    lines and pages become line feeds.

    >>> sayable("Page 1\x0cPage 2\r\nand\x00 on")
    'Page 1\nPage 2\nand on'
    """
    return _UNSAYABLE.sub("", _ENDS.sub("\n", text))


def masked(text: str, languages: Sequence[str]) -> str:
    """Give a text without what must not leave."""
    return sayable(redact(text, languages).text)


def is_literal(text: str, sources: Sequence[str]) -> bool:
    """Tell whether a sentence repeats a text for so many words in a row that it is a quotation.

    >>> is_literal("Ida moved to Bergen in May.",
    ...     ["In May Ida moved to Bergen, into the yellow house."])
    False
    """
    mine = _WORD.findall(text.casefold())
    for source in sources:
        theirs = _WORD.findall(source.casefold())
        match = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
        if (
            sum(
                0.5 if _UNSPACED.match(word) else 1.0
                for word in mine[match.a : match.a + match.size]
            )
            >= LITERAL
        ):
            return True
    return False


def _text(form: Form, question: Question, item: Recalled) -> str:
    """Give as much of a row as a form lets out: the words of the question that stand in it; also
    who and what it names; its best sentence; all of it.
    """
    match form:
        case Form.ANSWER:
            return ", ".join(item.matched)
        case Form.SUMMARY:
            return ", ".join(dict.fromkeys((*item.entities, *item.matched)))
        case Form.EXCERPT:
            return _best_sentence(question, item.text)
        case Form.VERBATIM:
            return item.text


def _best_sentence(question: Question, text: str) -> str:
    wanted = set(question.terms)
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return max(sentences, key=lambda each: len(wanted & set(terms(each))), default=text)


def item_of(leaving: Leaving, row: str) -> str:
    """Name a row for this contact alone."""
    named = blake2b(
        f"{leaving.to}\n{row}".encode(), digest_size=16, key=bytes.fromhex(leaving.key)
    ).digest()
    return to_b64u(named)


def _place(leaving: Leaving, row: Covered) -> dict[str, Any]:
    at = row.row.at
    return {
        "item": item_of(leaving, row.chunk.id),
        "layer": row.layer.value,
        "kind": row.row.kind.value,
        "at": at if at is not None and at >= 0 else None,
    }


def _cite(leaving: Leaving, cited: Citation, row: Covered) -> Mapping[str, Any]:
    place = _place(leaving, row)
    if not leaving.quotes:
        return place
    whole = leaving.form is Form.VERBATIM or any(
        start < cited.end - row.chunk.start and cited.start - row.chunk.start < end
        for start, end in row.struck
    )
    quote = leaving.mask(
        row.text
        if whole
        else row.chunk.text[cited.start - row.chunk.start : cited.end - row.chunk.start]
    )
    return (
        {
            **place,
            "quote": (
                quote if len(quote) <= LONGEST_QUOTE else quote[: LONGEST_QUOTE - 1] + LEFT_OUT
            ),
        }
        if quote.strip()
        else place
    )


def _fitted(leaving: Leaving, told: Sequence[_Stretch], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Write the answer so that it fits: without quotations beside it where they are too much, then
    cut at a sentence, which it says.
    """
    bare = [
        _Stretch(
            stretch.text,
            tuple(
                {name: value for name, value in cite.items() if name != "quote"}
                for cite in stretch.cites
            ),
        )
        for stretch in told
    ]
    for stretches in (told, bare):
        body = _body(stretches, rest)
        if _fits(leaving, body):
            return body
    sentences = [
        _Stretch(stretch.text[start:end], stretch.cites)
        for stretch in bare
        for start, end in sentence_spans(stretch.text)
    ]
    mark = _Stretch(_CUT[leaving.language], ())
    for count in range(len(sentences) - 1, -1, -1):
        body = _body([*sentences[:count], mark], rest)
        if _fits(leaving, body):
            return body
    raise ValueError("Not even a sentence fits into what was asked for.")


def _body(told: Sequence[_Stretch], rest: Mapping[str, Any]) -> dict[str, Any]:
    cites: list[Mapping[str, Any]] = []
    for each in chain.from_iterable(stretch.cites for stretch in told):
        if each not in cites:
            cites.append(each)
    return {"text": " ".join(stretch.text for stretch in told), "cites": cites[:MOST_CITES], **rest}


def _fits(leaving: Leaving, body: Mapping[str, Any]) -> bool:
    return len(body["text"]) <= LONGEST_TEXT and len(write_json(body)) <= leaving.most
