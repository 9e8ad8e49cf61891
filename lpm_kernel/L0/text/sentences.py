"""Where sentences end, in English, Japanese and Chinese.

The cutting is sentencex's (MIT, Wikimedia), a line at a time; what it cuts and a reader would not
is put together again: 「…。」と言った, and the short forms of notes ("approx. 30", "vol. 2").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sentencex import get_sentence_boundaries

Span = tuple[int, int]

_MARK: Final = re.compile(r"\s*(?:#{1,6} |[-*+] (?:[BWOS](?:\(c=[\d.]+\))? )?@?|\d+[.)] |> )")
"""Headings, lists, and the marks of retained statements."""
_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_HALF: Final = re.compile(r"[\ud800-\udfff]")
"""Half a character, as broken files have it: sentencex takes whole ones."""
_LINE: Final = re.compile(r"[^\n]+")
_ALWAYS_FOLLOWED: Final = frozenset(
    """
    mr mrs ms mx dr drs prof st sgt capt col gov lt maj rev hon messrs mme mlle
    approx tel ext vol vols ch chap fig figs eq nos pl pp p ca vs cf viz e.g i.e a.k.a incl excl
    tsp tbsp
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Short forms that end no sentence."""
_FOLLOWED_BY_FIGURES: Final = frozenset(
    """
    mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
    no sec art apt bldg est max min kr fr lb lbs
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Short forms that end no sentence where a figure follows, nor with a capital before a small
letter.
"""
_LAST_WORD: Final = re.compile(r"(?:^|[\s(\[“\"'‘])([A-Za-z](?:[A-Za-z.]{0,8}[A-Za-z])?)\.\s*\Z")
_GOES_ON_IN_JAPANESE: Final = re.compile(
    r"[」』）)】、，]|(?:と|って|という|とか|など|なんて|の|を|は|が|に|も|で|や|だ|か[らっ。])"
)
_PASSED_OVER: Final = re.compile(
    r"[。！？][」』”）]?(?=[0-9０-９A-Za-z])"
    r"|(?:(?<=^)|(?<=[.!?。！？] ))[(（][^()（）]{0,300}[.!?。！？][)）]"
)
"""Ends before a figure, taken for a decimal point, and of a sentence in brackets."""
_QUOTED: Final = re.compile(r"[」』）)】]\s*\Z")


def sentence_spans(text: str) -> list[Span]:
    """Where the sentences stand; the mark of a list or a heading does not belong to them, whom a
    statement is about does. Code points, end exclusive.

    >>> sentence_spans("- B Rain. Glue."), sentence_spans("- W @Tofu: my van.")
    ([(4, 9), (10, 15)], [(5, 18)])
    """
    spans = []
    for start, end in _whole(text):
        mark = _MARK.match(text, start, end)
        first = mark.end() if mark else start
        if first < end:
            spans.append((first, end))
    return spans


def sentences(text: str) -> list[str]:
    """Cut a text into sentences, in English, Japanese and Chinese.

    >>> sentences("Mr. Ide came. He said: “Stay.” 「雨だ。」と言った。帰った。")
    ['Mr. Ide came.', 'He said: “Stay.”', '「雨だ。」と言った。', '帰った。']
    """
    return [text[start:end] for start, end in _whole(text)]


def _whole(text: str) -> Iterator[Span]:
    for line in _LINE.finditer(text):
        begin: int | None = None
        for start, end in _cut(line.group()):
            begin = start if begin is None else begin
            said, rest = line.group()[begin:end], line.group()[end:]
            if rest.strip() and _goes_on(said, rest.lstrip()):
                continue
            if said.strip():
                left = line.start() + begin + len(said) - len(said.lstrip())
                yield left, left + len(said.strip())
            begin = None


def _cut(line: str) -> Iterator[Span]:
    """Cut where sentencex does, and at the full stops that it passes over before a figure."""
    language = "ja" if _KANA.search(line) else "zh" if _HAN.search(line) else "en"
    mark = _MARK.match(line)
    begin = mark.end() if mark else 0
    whole = _HALF.sub("\ufffd", line[begin:])
    ends = {begin + each["end_index"] for each in get_sentence_boundaries(language, whole)}
    ends |= {match.end() for match in _PASSED_OVER.finditer(line, begin)}
    first = 0
    for end in sorted({*ends, len(line)}):
        yield first, end
        first = end


def _goes_on(said: str, rest: str) -> bool:
    """Tell whether a sentence is not at its end where it was cut."""
    if word := _LAST_WORD.search(said):
        form = word.group(1).casefold()
        if form in _ALWAYS_FOLLOWED:
            return True
        goes_on = rest[0].isdigit() or (word.group(1)[0].isupper() and rest[0].islower())
        return goes_on and form in _FOLLOWED_BY_FIGURES
    if _QUOTED.search(said):
        return bool(_GOES_ON_IN_JAPANESE.match(rest))
    return rest[0] in "」』）】”’，、"
