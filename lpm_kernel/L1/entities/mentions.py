"""Names in passages, and what stands beside each: the ground that entities are made from.

By rule, without a model. In spaced scripts a name is what keeps its capital inside a sentence and
is not, in the same texts, mostly written small; at the head of a sentence or in a heading a capital
says nothing, so a word counts there only where it is a name elsewhere. In Japanese a name is what
the dictionary lists as one, what carries さん or the like, and katakana that no dictionary knows;
what is a name once is one wherever the same word stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lpm_kernel.domain.library.documents import MACHINES, Chunk
from lpm_kernel.domain.memory.entities import NO_SIGN, Mention, Read, Sign
from lpm_kernel.L0.language import glosses, japanese
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.language.stopwords import ENGLISH, OTHERS
from lpm_kernel.L1.entities import mentions_chinese
from lpm_kernel.L1.entities.resolution import TITLES_AFTER, TITLES_BEFORE, TITLES_ROMANISED

LONGEST_NAME = 6
"""Words of a name."""
LONGEST_HEADING = 200
"""Characters of a heading before and after a word of it."""
CAPITAL = 0.5
"""How large a share of a word's occurrences inside sentences must be with a capital, so that it
counts as a name.
"""

_NO_NAMES = frozenset(
    """
    i i'm i've i'll i'd ok okay oh yes no ps pps re fwd fw cc am pm tv pdf
    january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
    sun
    mum mom dad mama papa mummy daddy god sir madam christmas easter
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Written with a capital and no name of anybody: days, months, the word for oneself."""
_NOBODY = MACHINES | {"user", "chatgpt", "ai", "bot", "unknown"}
"""Speakers that are roles of a program."""

_LETTER = "A-Za-z\u00c0-\u024f"
_UPPER = (
    "A-Z\u00c0-\u00d6\u00d8-\u00de\u0100\u0106\u010c\u0112"
    "\u0141\u0143\u0150\u0158\u015a\u0160\u0170\u017b\u017d"
)
_WORD = re.compile(
    rf"(?<![\w@])[{_LETTER}][{_LETTER}'\u2019-]*[{_LETTER}]|(?<![\w@])[{_LETTER}](?!\w)"
)
_JOINS = re.compile(
    r"(?: |\. )(?:(?:of|of the|de|van|von|da|del|della|la|du|di|dos|das|af|av|the) )?"
)
_TITLED = re.compile(rf"(?:{'|'.join(sorted(TITLES_BEFORE))})\.?", re.IGNORECASE)
_MENTION = re.compile(r"(?<![\w.])@([\w-]+)")
_STATES = re.compile(r"^\s*[-*+]\s+[WBOS](?:\(c=[\d.]+\))?\s*$")
"""What a line of a Retain section begins with: its kind is no word of the sentence."""
_HEAD = re.compile(
    r"(?:^|[.!?…。！？:;|]|^\s{0,40}(?:[-*+>#]{1,8}|\d{1,6}[.)])"
    r"|^\s{0,40}[-*+]\s{1,8}[WBOS](?:\(c=[\d.]{1,8}\))?\s)[\s\"'“‘(\[*_—–-]{0,20}$"
)
_OPENS = re.compile(r"[\"“‘(—–]\s*$")
_KANA = re.compile(r"[\u3041-\u30ff]")
_TWO_KANA = re.compile(r"[\u30a1-\u30fa][\u30a1-\u30fa]")
_ANYBODY = frozenset("皆兄姉弟妹父母夫妻娘嫁婿孫甥姪叔伯客主親爺婆")
"""What somebody is called by one sign that is no name."""
_NO_KANA_NAMES = frozenset(
    ("ママ", "パパ", "ビル", "ジム", "バス", "メモ", "プロ", "ボス", "ネコ", "ゴミ", "カニ", "イカ")
)

_WITHIN = re.compile(
    r"(?:\b(?:in|at|near|around|outside|inside|across|through|throughout|above|within|behind"
    r"|below|(?:ridge|top|foot|coast|hills?|streets|outskirts|north|south|east|west|city|town"
    r"|village|island|port|harbour)\s+of)"
    r"\s+(?:the\s+|old\s+|central\s+)?|\b(?:place|town|city|where|location|venue"
    r"|address)\s*[:=]\s*)$",
    re.IGNORECASE,
)
_TOWARDS = re.compile(
    r"\b(?:(?:go|goes|went|gone|going|mov\w{1,40}|dr[io]v\w{1,40}|travel\w{0,40}|walk\w{0,40}"
    r"|fl[ey]w?|flying|c[ao]m\w{1,40}|back|return\w{0,40}|train|bus|road|way|ferry|boat|trip"
    r"|journey|visit\w{0,40}|arriv\w{0,40}|left|leaving|liv\w{1,40}|born|stay\w{0,40}|rode|ride)"
    r"\s{1,20}(?:\w{1,40}\s{1,20})?(?:to|from|for|into|towards?|in|via)?"
    r"|from\s{1,20}[^\W\d_][\w-]{1,40}\s{1,20}to)\s{0,20}$",
    re.IGNORECASE,
)
_FROM_TO = (re.compile(r"\bfrom\s+$", re.IGNORECASE), re.compile(rf"^\s+to\s+[{_UPPER}]"))
_WITH = re.compile(
    r"(?i:\b(?:with|dear|ask(?:ed)?|tell|told|thank(?:ed)?|met|meet|phone[d]?|rang|call(?:ed)?"
    r"|help(?:ed)?|paid|owe|gave|give|lent|lend|show(?:ed)?|invite[d]?|uncle|aunt|auntie|cousin"
    r"|friend|brother|sister|mother|father|neighbou?r"
    r"|son|daughter|husband|wife|colleague|nephew|niece|hi|hello|hey|kære|liebe|lieber|cher|chère"
    r"|querid[oa]|car[oa])\s+"
    rf"|\b(?:with|who|whom|owner|name|author|customer|client|patient|person|contact|guest|member|student|teacher)\s*[:=]\s*)(?:[{_UPPER}][\w-]+(?:,\s*|\s+(?:and|&)\s+)){{0,3}}$",
)
_OWNED = re.compile(r"\b(?:the|my|our|his|her|their|your|this|that|a|an)\s+$", re.IGNORECASE)
_DATED = re.compile(r"^,\s+(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\.?\s+\w+\.?,?\s+\d{4}")
_SIGNED = (re.compile(r",[^\S\n]{0,20}\n\s{0,20}$"), re.compile(r"^\s*(?:\n|$)"))
_ACTS = re.compile(
    r"^(?:,?\s+(?:who\s+)?(?:\w+ly\s+|has\s+|had\s+|also\s+|just\s+|never\s+|always\s+|once\s+)?"
    r"(?:says?|said|tells?|told|asks?|asked|writes?|wrote|written|thinks?|thought|knows?|knew"
    r"|wants?|wanted|laugh\w*|smil\w+"
    r"|brought|brings?|gave|gives?|sent|sends?|lent|lends?|answer\w*|call(?:ed|s)|phon(?:ed|es)"
    r"|sang|sings|cried|cries|agree[ds]?|promise[ds]?|taught|teach\w*|likes?|liked|loves?|loved"
    r"|hates?|hated|hopes?|hoped|believes?|believed"
    r"|remember\w*|help\w*|carried|carries|cook\w*|nodded|shrugged|arrived|showed|shows|bought"
    r"|sold|read|reads|forgot|married|replied|replies|explained|insist\w*|suggest\w*|refuse[ds]?"
    r"|swears?|swore|whisper\w*|shout\w*)\b)",
    re.IGNORECASE,
)
_SITE = re.compile(
    r"\b(?:street|road|avenue|lane|square|station|river|bridge|lake|mountains?|hill|park|island"
    r"|airport|harbou?r|market|museum|university|school|hospital|church|cathedral|temple|shrine"
    r"|castle|hotel|bay|beach|valley|forest"
    r"|city|town|village|county|prefecture|peninsula|strasse|platz|rue|rua|praça|gata|gade)$"
    r"|(?:駅|町|市|県|区|村|川|山|島|寺|神社|城|港|湖|橋|通り|温泉|半島|公園|病院|学校|大学)$",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"^\w+(?:ism|ness|ology)$|(?:主義|思想|哲学|理論)$", re.IGNORECASE)
_JA_AFTER = (
    (
        Sign.TOWARDS,
        re.compile(r"^(?:へ|まで|に(?:行|い[くっき]|着|来て|戻|帰|向|住|移|引っ越|泊))"),
    ),
    (
        Sign.WITHIN,
        re.compile(
            r"^(?:で(?![すしあも])|にある|にあ[りっ]|の(?:町|街|駅|海|港|店|宿|冬|夏|春|秋|雨))"
        ),
    ),
    (
        Sign.WITH,
        re.compile(
            r"^(?:と(?:一緒|会|話|二人|飲|電話)|に(?:会|電話|聞|頼|渡|もら|言|教|借|返|手紙)"
            r"|から(?:手紙|電話|聞))"
        ),
    ),
    (
        Sign.ACTS,
        re.compile(
            r"^(?:も|は|が)、?(?:言|話|笑|怒|泣|歌|書|聞|思|考|来た|来て|教|答|買|作|くれ|持って"
            r"|帰)"
        ),
    ),
)


@dataclass(frozen=True)
class _Found:
    """A run of capitals in a text."""

    read: int
    words: tuple[tuple[int, int], ...]
    weak: bool
    """It stands where any word has a capital."""


def survey(reads: Sequence[Read]) -> list[Mention]:
    """Return who and what is named in these passages, in the order of their rows, with what stands
    beside it.
    """
    small, large, found = _capitals(reads)
    nouns = {
        number: _with_given_names(japanese.nouns(read.chunk.text))
        for number, read in enumerate(reads)
        if _KANA.search(read.chunk.text)
    }
    known = _known_in_japanese(reads, nouns)
    signs: dict[tuple[int, str], Sign] = {}

    def note(number: int, surface: str, sign: Sign) -> None:
        key = (reads[number].row, surface.strip())
        if key[1] and key[1].casefold() not in _NO_NAMES:
            signs[key] = signs.get(key, NO_SIGN) | sign

    for number, read in enumerate(reads):
        chunk = read.chunk
        if chunk.speaker and chunk.speaker.casefold() not in _NOBODY:
            note(number, chunk.speaker, Sign.SPEAKS)
        for name in (*chunk.about, *_marked(chunk)):
            note(number, name, Sign.MARKED)
        for start, end, surface, sign in _in_japanese(nouns.get(number, []), known):
            note(number, surface, sign | _beside_japanese(chunk.text, start, end))
    for number, name in _in_chinese(reads):
        note(number, name, Sign.TITLED)
    for run in found:
        text = reads[run.read].chunk.text
        for start, end in _names(text, run, small, large):
            note(run.read, text[start:end], _beside(text, start, end))
    return [Mention(row, surface, signs[row, surface]) for row, surface in sorted(signs)]


def _in_chinese(reads: Sequence[Read]) -> Iterator[tuple[int, str]]:
    """Yield the names in Chinese texts, with the number of the text."""
    texts = [(n, read.chunk.text) for n, read in enumerate(reads)]
    chinese = [(n, text) for n, text in texts if language_of(text) == "zh"]
    for place, start, end in mentions_chinese.names([text for _, text in chinese]):
        number, text = chinese[place]
        yield number, text[start:end]


def _marked(chunk: Chunk) -> list[str]:
    """Return what is marked with ``@`` in a text; of a statement that is known to be about several
    words, these count and not the first of them.
    """
    found = [match[1] for match in _MENTION.finditer(chunk.text)]
    return [
        name
        for name in found
        if name.casefold() not in ENGLISH
        and not _TITLED.fullmatch(name)
        and not any(each.startswith(name) for each in chunk.about)
    ]


def _capitals(reads: Sequence[Read]) -> tuple[Counter[str], Counter[str], list[_Found]]:
    """Return how often each word is written small, how often with a capital where that says
    something, and the runs of capitals.
    """
    small: Counter[str] = Counter()
    large: Counter[str] = Counter()
    found: list[_Found] = []
    for number, read in enumerate(reads):
        text = read.chunk.text
        run: list[tuple[int, int]] = []
        weak = False
        for match in _WORD.finditer(text):
            word = match[0]
            if len(word) == 1 and _STATES.match(
                text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
            ):
                continue
            if not re.match(rf"[{_UPPER}]", word):
                small[_bare(word)] += 1
                continue
            between = text[run[-1][1] : match.start()] if run else ""
            if (
                not run
                or len(run) >= LONGEST_NAME
                or not _JOINS.fullmatch(between)
                or (between.startswith(".") and not _abbreviates(text, run[-1], match[0]))
            ):
                if run:
                    found.append(_Found(number, tuple(run), weak))
                run, weak = [], _is_weak(text, match.start(), match.end())
            run.append(match.span())
            if _says_something(text, match, weak=weak and len(run) == 1):
                large[_bare(word)] += not (weak and word.isupper()) and not _in_heading(
                    text, match.start()
                )
        if run:
            found.append(_Found(number, tuple(run), weak))
    return small, large, found


def _says_something(text: str, word: re.Match[str], *, weak: bool) -> bool:
    """Tell whether the capital of a word says that it is a name: at the head of a sentence it does
    where somebody says or does something: Otto laughed.
    """
    acts = _ACTS.match(text[word.end() : word.end() + 32])
    return not weak or (bool(acts) and not _ordinary(_bare(word[0])))


def _abbreviates(text: str, span: tuple[int, int], following: str) -> bool:
    """Tell whether the stop after a word is that of "Mr." or of an initial, and not of a
    sentence.
    """
    word = text[slice(*span)]
    return bool(_TITLED.fullmatch(word)) or (len(word) == 1 and not _ordinary(_bare(following)))


def _names(
    text: str, run: _Found, small: Counter[str], large: Counter[str]
) -> Iterator[tuple[int, int]]:
    """Yield the names in a run of capitals: what only begins the sentence, and days and months, are
    left out of it.
    """
    words = list(run.words)
    heading = run.weak and _in_heading(text, words[0][0])
    kept: list[tuple[int, int]] = []
    for place, (start, end) in enumerate(words):
        word = _bare(text[start:end])
        titled = bool(_TITLED.fullmatch(text[start:end])) and place < len(words) - 1
        sure = large[word] > 0 and large[word] >= CAPITAL * (large[word] + small[word])
        begins = (
            place == 0
            and run.weak
            and not (
                sure
                or titled
                or (len(words) > 1 and not small[word] and not heading and not _ordinary(word))
            )
        )
        if begins or word in _NO_NAMES or (heading and not (sure or titled)):
            if kept:
                yield from _whole(text, kept, small, large)
            kept = []
        else:
            kept.append((start, end))
    if kept:
        yield from _whole(text, kept, small, large)


def _whole(
    text: str, kept: list[tuple[int, int]], small: Counter[str], large: Counter[str]
) -> Iterator[tuple[int, int]]:
    """Yield a name from its first to its last word, unless every word of it is an ordinary one."""
    words = [_bare(text[start:end]) for start, end in kept]
    if any(
        large[word]
        and large[word] >= CAPITAL * (large[word] + small[word])
        and not _TITLED.fullmatch(word)
        for word in words
    ):
        start, end = kept[0][0], kept[-1][1]
        end -= 2 if text[end - 2 : end] in {"'s", "\u2019s"} else 0
        name = text[start:end]
        if len(name) > 1 and not _TITLED.fullmatch(name) and not _SITE.fullmatch(name):
            yield start, end


def _ordinary(word: str) -> bool:
    """Tell whether a word is one of the language, whether or not these texts have it written
    small.
    """
    return word in ENGLISH or word in OTHERS or glosses.ordinary(word)


def _bare(word: str) -> str:
    return word.replace("\u2019", "'").casefold().removesuffix("'s")


def _is_weak(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 16) : start]
    return (
        not before.strip()
        or bool(_HEAD.search(before.rpartition("\n")[2]) or _OPENS.search(before))
        or _in_heading(text, start)
        or text[start:end].isupper()
    )


def _in_heading(text: str, start: int) -> bool:
    """Tell whether a place lies in a heading: a short line that is marked as one, or in which
    nearly every word has a capital.
    """
    first, last = (
        text.rfind("\n", max(0, start - LONGEST_HEADING), start) + 1,
        text.find("\n", start, start + LONGEST_HEADING),
    )
    if (not first and start > LONGEST_HEADING) or (
        last < 0 and len(text) - start > LONGEST_HEADING
    ):
        return False
    line = text[first : last if last >= 0 else len(text)]
    if line.lstrip().startswith("#"):
        return True
    words = [word for word in re.findall(rf"[{_LETTER}]+", line) if len(word) > 3]  # noqa: PLR2004  of, the, and are small in headings too
    return (
        len(words) > 2  # noqa: PLR2004  two may be a name
        and not re.search(r"[.!?,]\s*$", line)
        and all(word[0].isupper() for word in words)
    )


def _beside(text: str, start: int, end: int) -> Sign:
    before, after, name = text[max(0, start - 48) : start], text[end : end + 32], text[start:end]
    sign = (
        Sign.TITLED
        if _TITLED.fullmatch(name.partition(" ")[0]) or name.casefold().endswith(TITLES_ROMANISED)
        else NO_SIGN
    )
    for flag, pattern in (
        (Sign.WITHIN, _WITHIN),
        (Sign.TOWARDS, _TOWARDS),
        (Sign.WITH, _WITH),
        (Sign.OWNED, _OWNED),
    ):
        if pattern.search(before):
            sign |= flag
    if (
        Sign.OWNED in sign
        and (following := re.match(r"\s+([a-z]+)", after))
        and following[1] not in ENGLISH
    ):
        sign &= ~Sign.OWNED  # "the Ueno violin" is a violin
    if _FROM_TO[0].search(before) and _FROM_TO[1].match(after):
        sign |= Sign.TOWARDS
    if _DATED.match(after):
        sign |= Sign.WITHIN
    if _ACTS.match(after) or (_SIGNED[0].search(before) and _SIGNED[1].match(after)):
        sign |= Sign.ACTS
    if re.match(r"['\u2019]s\b", after):
        sign |= Sign.OWNS
    return sign | _form(name)


def _form(name: str) -> Sign:
    return (Sign.SITE if _SITE.search(name) else NO_SIGN) | (
        Sign.ABSTRACT if _ABSTRACT.search(name) else NO_SIGN
    )


def _known_in_japanese(
    reads: Sequence[Read], nouns: dict[int, list[japanese.Noun]]
) -> frozenset[str]:
    """Return the words of Japanese texts that are names somewhere: who speaks, what is marked, what
    carries さん.
    """
    known = {read.chunk.speaker for read in reads if read.chunk.speaker} | {
        name for read in reads for name in read.chunk.about
    }
    for number, there in nouns.items():
        text = reads[number].chunk.text
        known |= {
            noun.surface
            for noun in there
            if text.startswith(TITLES_AFTER, noun.end) and not _is_common(noun)
        }
    return frozenset(name for name in known if name)


def _is_common(noun: japanese.Noun) -> bool:
    """Tell whether a word that is called さん is one that anybody may be called: 看護師, 大家, 娘.
    Any other single sign is a name.
    """
    if noun.surface in _ANYBODY:
        return True
    return noun.listed and not noun.sort and len(noun.surface) > 1 and not _is_short_kana(noun)


def _is_short_kana(noun: japanese.Noun) -> bool:
    """Tell whether a word is two katakana, as many given names are that are also a tree or a
    flower: カヤ, ハナ.
    """
    return bool(_TWO_KANA.fullmatch(noun.surface)) and noun.surface not in _NO_KANA_NAMES


def _with_given_names(nouns: Sequence[japanese.Noun]) -> list[japanese.Noun]:
    """Join a family name and the two katakana after it: 森岡カヤ."""
    joined: list[japanese.Noun] = []
    for noun in nouns:
        before = joined[-1] if joined else None
        if before and before.sort == "人名" and before.end == noun.start and _is_short_kana(noun):
            surface = before.surface + noun.surface
            joined[-1] = replace(before, end=noun.end, surface=surface)
        else:
            joined.append(noun)
    return joined


def _in_japanese(
    nouns: Sequence[japanese.Noun], known: frozenset[str]
) -> Iterator[tuple[int, int, str, Sign]]:
    for noun in nouns:
        foreign = (
            not noun.listed
            and bool(glosses.KATAKANA.fullmatch(noun.surface))
            and len(noun.surface) > 2  # noqa: PLR2004  shorter ones are sounds
        )
        if not (noun.sort or foreign or noun.surface in known) or noun.surface.isascii():
            continue
        sign = {"人名": Sign.LISTED_PERSON, "地名": Sign.LISTED_PLACE}.get(noun.sort, NO_SIGN)
        yield noun.start, noun.end, noun.surface, sign


def _beside_japanese(text: str, start: int, end: int) -> Sign:
    after = text[end : end + 8]
    sign = Sign.TITLED if after.startswith(TITLES_AFTER) else NO_SIGN
    title = next((title for title in TITLES_AFTER if after.startswith(title)), "")
    for flag, pattern in _JA_AFTER:
        if pattern.match(after.removeprefix(title)):
            sign |= flag
    return sign | _form(text[start:end])
