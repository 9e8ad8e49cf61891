"""Whose words a sentence of a document is, as far as the document shows it: a line of a talk says
who speaks, a letter who signed it and to whom it goes, and a mark where somebody else is quoted.

A stranger's words taken for the person's are worse than words of the person's that are missed: what
is quoted, forwarded, sent round or signed by another is nobody's of whom it is told here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.text.chunks import Span
from lpm_kernel.L1.entities.relations import relations
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.statements.bylines import byline, is_person, signing_office

BEGINNING: Final = 400
"""Characters within which a letter says to whom it is written."""
LEAST_LINES: Final = 2
"""Lines with a speaker that make a talk."""
MOST_SPEAKERS: Final = 12
"""Names in most talks. Up to so many, one of the two shares below is enough; of more, both are
needed.
"""
SPEAK_AGAIN, LEAST_OF_LINES = 0.3, 0.25
"""Share of the lines with a speaker that belong to one who speaks again, and share of all lines
that have a speaker.
"""
MOST_SIGNED: Final = 5
"""Words of a signature; what is longer says something."""
MOST_OFFICE: Final = 4
"""Words behind the name: "Editor", "Professor of Botany, Leeds"."""
MOST_SIGNS: Final = 12
"""Signs of a Japanese signature."""
LEAST_GIVEN: Final = 2
"""Signs of a Japanese given name that tells, at the end of the whole name."""

_SPEAKS: Final = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?(?:\d{1,2}[:.]\d\d[ \t]+(?:-[ \t]+)?)?"
    r"(?!(?:From|To|Cc|Date|Subject|Sent)[ \t]*:)"
    r"(?P<who>[^\s:：\[\]#>*|-][^:：\n|]{0,23}?)[ \t]*[:：](?!//)[ \t]*(?=\S)",
    re.MULTILINE,
)
_ASIDE: Final = re.compile(r"[(（].*")
_GREETED: Final = re.compile(
    r"^[ \t>]*(?:(?:dear|hi|hello|hey|hallo|liebe[rs]?|chère?|cher"
    r"|querid[oa]|car[oa]|kära|kjære) |(?:to|for|attn|patient)[ \t]?[:：]"
    r"|to (?=the [^\n.!?:;]{1,56},[ \t]*$))"
    r"(?P<who>[^\n.!?:;]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)
_GREETED_JA: Final = re.compile(
    r"^[ \t\u3000]*(?P<who>[^\s、。:：\u3000]{1,12}(?:[ \u3000][^\s、。:：\u3000]{1,12})?)"
    r"[ \u3000]?"
    r"(?:様|さま|殿|御中|(?:さん|先生)?へ)[ \t\u3000]*(?=$|[、。,])",
    re.MULTILINE,
)
_CALLED: Final = re.compile(r"(?P<who>[A-ZÀ-Þ][\w'’-]+)(?:[,.!—–]|[ ]?\n)")
_CALLED_JA: Final = re.compile(
    r"(?P<who>[^\s、。:：]{1,12}?)(?:さん|くん|君|ちゃん|先輩|先生)[ \t]*(?:\n|、)"
)
"""A letter that begins with a bare name is to whoever that is."""
_BY_TITLE: Final = re.compile(r"\b(?:mr|mrs|ms|miss|mx|dr|herr|frau)\b\.?", re.IGNORECASE)
_LEARNED: Final = re.compile(r"(?:Dr|Prof(?:essor)?)\b\.? ?")
_TO_THE_DIARY: Final = re.compile(r"[ \t]*dear (?:diary|journal)\b", re.IGNORECASE)
_TO_ALL: Final = re.compile(
    r"\A[ \t>]*dear (?:\w+ ){0,2}(?:reader|patient|customer|friend|member|parent|resident|owner"
    r"|tenant|famil(?:y|ie)|client|subscriber|neighbour|colleague|guest|all|everyone|sir|madam|applicant)s?\b"
    r"|\A[ \t\u3000]*\S{0,12}(?:各位|の皆様|の皆さま|のみなさま)",
    re.IGNORECASE,
)
_SENT_ROUND: Final = re.compile(
    r"\bunsubscribe\b|\bstop receiving\b|\bthis newsletter\b|\bview (?:this|in your) browser\b"
    r"|配信停止|配信解除|メールマガジン|メルマガ",
    re.IGNORECASE,
)
_COLLECTED: Final = re.compile(
    r"^\W*(?:fwd?|fw|wg|転送)\s?[:：_-]|\b(?:newsletter|proverbs?|sayings?|quotes|quotations|lyrics)\b"
    r"|格言|ことわざ|名言|歌詞|メルマガ",
    re.IGNORECASE,
)
"""Titles under which words of others are kept."""
_TITLE: Final = re.compile(
    r"^(?:(?P<way>from|to)[ :]+(?!(?:do|buy|read|get|pack|call|fix|see|the|my|a|an)\b)"
    r"(?P<who>[^(,:–—-]{1,40})"
    r"|(?P<who_ja>[^\s、。]{1,12}?)(?P<way_ja>からの|から|より|へ)"
    r"(?:の?お?(?:手紙|メール|返信|返事|葉書|はがき|便り|礼状|知らせ|通知|連絡|覚え書き))?"
    r"(?P<rest>[ \u3000][^\n]*)?$)",
    re.IGNORECASE,
)
_SOMEBODY_JA: Final = re.compile(
    r"(?:さん|先生|様|ちゃん|くん|君|氏|夫人|シェフ|[^時場]所|署|課|局|会社|学校|病院|組合|園|館|ホーム|サービス)$"
)
_DATED: Final = re.compile(r"^\d{4}-\d\d-\d\d[ _-]+")
_JOINED: Final = re.compile(r"[-_]+")
_REPLIES: Final = re.compile(r"^(?:re|aw|sv|回复|返信)\s?[:：_-]", re.IGNORECASE)
_ABOUT: Final = re.compile(r"[^\n]{0,120}\bRe: [A-ZÀ-Þ0-9]")
"""A formal letter says at its head what it is about."""
_CLOSES: Final = re.compile(
    r"(?:with respect|yours(?: \w{1,12}){0,2}|your(?: \w{1,12}){1,3}"
    r"|(?:all my |lots of |much |with )?love"
    r"|(?:with )?(?:best|kind|warm)(?: wishes| regards)?|regards|sincerely|cheers|kisses|hugs"
    r"|x{1,5}|(?:many )?thanks|take care|敬具|草々|かしこ)[ \t]*(?:[,.][ \t]*|$)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"[A-ZÀ-Þ][\w'’.-]*")
_LAST: Final = re.compile(
    r"(?<![A-ZÀ-Þ])(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSr)[.!?…][\"”]?[ \t]+"
    r"(?=[^.!?…]{1,60}(?:\.[^.!?…]{1,60}){0,2}\.?$)"
)
_FORMAL: Final = re.compile(
    r"(?:Dr|Mr|Mrs|Ms|Prof|Rev|Sr)\.? [A-ZÀ-Þ]|(?:[A-Z]{2,4} )?[A-ZÀ-Þ]\. ?[A-ZÀ-Þ][\w'’-]+$"
)
"""With a title or an initial one signs what is no diary."""
_RELATION: Final = frozenset(
    "dad mum mom mam mama papa father mother gran grandma grandpa granddad 母 父 祖母 祖父 兄 姉 弟"  # noqa: SIM905  a list this long reads better as prose
    " 妹".split()
)
"""What one signs with for one reader alone: it does not say who it is."""
_QUOTES: Final = re.compile(
    r"“[^”\n]{1,600}”|\"[^\"\n]{1,600}\"|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』"
)
_QUOTED_LINE: Final = re.compile(r"^[ \t]{0,8}[>＞][^\n]*", re.MULTILINE)
_QUOTED_REST: Final = re.compile(
    r"^(?:-{2,40}[ \t]?(?:Original Message|Forwarded message|元のメッセージ|転送メッセージ)"
    r"|Begin forwarded message:|On [^\n]{6,120} wrote:[ \t]*$"
    r"|\d{4}[年/-][^\n]{4,80}(?:のメール|書きました|wrote)[:：]?[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD: Final = re.compile(r"^From: [^\n]*\n(?:To|Date): ", re.MULTILINE)
"""In a box of mails the next one begins so."""
_MAIL_HEAD: Final = re.compile(
    r"\A(?:(?:From|To|Cc|Date|Subject): [^\n]*\n){2,6}\n*", re.IGNORECASE
)
_SENDER: Final = re.compile(
    r"^From: *\"?(?P<who>[^\s<\"@][^\n<\"@]{0,59})\"?[ \t]{0,8}(?:<|$)", re.MULTILINE
)
_OF_ANOTHER: Final = re.compile(
    r"^[ \t]{0,8}[—–―-]{1,2}[ \t]?(?![WBOS] )(?P<who>[A-ZÀ-Þ][\w'’-]{0,20}\.?"
    r"(?:,? (?:[A-ZÀ-Þ][\w'’-]{0,20}\.?|of|de|von|van|da|di|the|\d{4})){0,6})$",
    re.MULTILINE,
)
"""Whose verse or saying stands above: a name, and not what a list goes on with."""
_PRESENTS: Final = re.compile(
    r"\A\s*[^\n。]{1,24}(?:様|さん|先生|君|くん|殿)[ \t\u3000]*\n\s*(?:[^\n。]{0,24}。)?"
    r"(?:[^\n。]{0,24}の|[^\n。]{0,24}、)?(?P<who>[一-龯々ァ-ヶー]{1,8})(?:です|と申します)。"
)
"""A Japanese letter may say at once whose it is."""
_SEVERAL: Final = re.compile(r",|、|・|&|\band\b|\bund\b|\bor\b")
_SELF: Final = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Oo]urs?)\b"
    r"|私|僕|俺|わたし|ぼく|うち[のはがで]"
)


@dataclass(frozen=True)
class Authorship:
    """What a document shows of who wrote it."""

    own: frozenset[str] = field(repr=False)
    """How the person is called, as `key_of` writes it."""
    by_another: bool
    """Somebody else wrote it: it is written to the person, signed by another, or sent round."""
    lines: tuple[tuple[int, int, str], ...] = field(repr=False)
    """In a talk: where each line begins, where its words begin, and the key of who speaks."""
    quoted: tuple[Span, ...] = field(repr=False)
    """Stretches in which somebody else is quoted."""
    speaks_of_self: bool
    """It says "I" somewhere, or is in a language that leaves it out."""

    def speaker_at(self, place: int) -> tuple[str, int] | None:
        """Return who speaks at a place of a talk, and where their words begin."""
        line = next((each for each in reversed(self.lines) if each[0] <= place), None)
        return None if line is None else (line[2], line[1])

    def may_be_own(self, place: int) -> bool:
        """Tell whether the words at a place may be the person's: nothing shows that they are
        somebody else's.
        """
        if any(start <= place < end for start, end in self.quoted):
            return False
        said = self.speaker_at(place)
        return is_called(said[0], self.own) if said else not self.by_another


def authorship_of(text: str, own: frozenset[str], title: str = "") -> Authorship:
    r"""Read it off a document and its title; ``own`` is how the person is called, as `own_keys`
    gives it.

    >>> letter = authorship_of("Dear Aisling,\nI moved to Kildare.", frozenset({"aisling"}))
    >>> talk = authorship_of("Mam: I moved.\nAisling: I did not.", frozenset({"aisling"}))
    >>> letter.may_be_own(20), talk.may_be_own(6), talk.may_be_own(24)
    (False, False, True)
    """
    lines = [
        (each.start(), each.end(), key_of(_ASIDE.sub("", each["who"])))
        for each in _SPEAKS.finditer(text)
    ]
    names = Counter(who for _, _, who in lines)
    talk = len(lines) >= LEAST_LINES and (
        _speak_in_turn(names, text) or any(is_called(name, own) for name in names)
    )
    head, body = _head_and_body(text)
    return Authorship(
        own,
        not talk and not _is_sent_by(head, own) and _by_another(body, own, title),
        tuple(lines) if talk else (),
        _quoted(text, own),
        unspaced(text) or bool(_SELF.search(text)),
    )


def _speak_in_turn(names: Counter[str], text: str) -> bool:
    """Tell a talk from lists: in "Time: three. Place: Kyoto." nobody speaks twice, and in a long
    diary headings come again, but few, or between many lines that have none.
    """
    lines = names.total()
    again = sum(count for count in names.values() if count > 1)
    there = sum(bool(line.strip()) for line in text.splitlines())
    often, near = again > SPEAK_AGAIN * lines, lines > LEAST_OF_LINES * there
    return (often and near) if len(names) > MOST_SPEAKERS else again > 0 and (often or near)


def is_called(key: str, own: AbstractSet[str]) -> bool:
    """Tell whether a key is one of these, or a part of a whole name that tells: the given name at
    the end of a Japanese one, two words of one of three.

    >>> is_called("誠一", {"田村誠一"}), is_called("wei ling", {"lim wei ling"})
    (True, True)
    >>> is_called("rees", {"owen rees"})
    False
    """
    if key in own:
        return True
    if unspaced(key):
        return len(key) >= LEAST_GIVEN and any(
            name.endswith(key) for name in own if not name.isascii()
        )
    return " " in key and any(f" {key} " in f" {name} " for name in own)


def is_letter(text: str, title: str = "") -> bool:
    """Tell whether a document is written to somebody: its title or its greeting says so, or it
    takes leave.
    """
    title = _as_title(title)
    named = _titled(title) or _REPLIES.match(title)
    return bool(named) or (_is_letter(text) and not _TO_THE_DIARY.match(text))


def is_by_the_person(text: str, own: frozenset[str], title: str = "") -> bool:
    """Tell whether a letter shows that the person wrote it: they signed it, or its title says to
    whom else it went.
    """
    head, body = _head_and_body(text)
    if _is_sent_by(head, own):
        return True
    way = _titled(_as_title(title))
    if way is not None and ((way["way"] or "").casefold() == "to" or way["way_ja"] == "へ"):
        return not is_called(key_of(way["who"] or way["who_ja"]), own)
    return _signed_by(body, own, letter=True) is True


def signature_of(text: str, title: str = "") -> str | None:
    r"""Return the name under a letter, as it is written there; ``None`` where there is none.

    >>> signature_of("Dear Mia,\nThe keys are with the porter.\nYours, Sister Agnes")
    'Sister Agnes'
    """
    _, body = _head_and_body(text)
    last = _last_words(body, letter=is_letter(text, title))
    closes = _CLOSES.match(last)
    name = (last[closes.end() :] if closes else last).strip(" ,.*_—–―-")
    words = name.split()
    if unspaced(name):
        return name if 0 < len(name) <= MOST_SIGNS and not last.endswith("。") else None
    named = words and len(words) <= MOST_SIGNED and all(_NAMED.fullmatch(w) for w in words)
    return name if named else None


def _head_and_body(text: str) -> tuple[str, str]:
    """Part a mail from the lines of its head; what is no mail has none."""
    head = _MAIL_HEAD.match(text)
    return (head[0], text[head.end() :]) if head else ("", text)


def _is_sent_by(head: str, own: frozenset[str]) -> bool:
    """Tell whether the head of a mail names the person as its sender."""
    sender = _SENDER.search(head)
    return sender is not None and is_called(key_of(sender["who"].strip()), own)


def is_to_the_person(text: str, own: frozenset[str]) -> bool:
    """Tell whether a letter greets the person, and nobody else, by a name that is theirs alone:
    the whole or the given one, or a doctor's. "Mrs Hartley" may be the mother.
    """
    _, body = _head_and_body(text)
    greeted = [match["who"].split(",")[0].strip() for match in _GREETED.finditer(body[:BEGINNING])]
    first = _CALLED.match(body)
    who = greeted[0] if greeted else first["who"] if first else ""
    surnames = {name.split()[-1] for name in own if " " in name}
    learned = _LEARNED.match(who)
    if learned is not None:
        return key_of(who[learned.end() :]).split()[-1:] in [[name] for name in surnames]
    return bool(who) and not _SEVERAL.search(who) and is_called(key_of(who), own)


def _by_another(text: str, own: frozenset[str], title: str) -> bool:
    """Tell whether a document that is no talk is somebody else's."""
    title = _as_title(title)
    if _SENT_ROUND.search(text) or _COLLECTED.search(title):
        return True
    if (by := byline(text)) is not None:
        return not _is_by(by, own)
    way = _titled(title)
    sends = way is not None and (way["way"] or "").casefold() != "to" and way["way_ja"] != "へ"
    other = way is not None and not is_called(key_of(way["who"] or way["who_ja"]), own)
    if way is not None and sends == other:
        return other
    letter = way is not None or bool(_REPLIES.match(title)) or _is_letter(text)
    return _shows_another(text, own, letter=letter)


def _shows_another(text: str, own: frozenset[str], *, letter: bool) -> bool:
    """Tell whether a text presents, is signed by or is addressed to somebody so that it is not the
    person's.
    """
    presents = _PRESENTS.match(text)
    if presents is not None:
        return not any(name.startswith(presents["who"]) for name in own)
    text = _without_earlier(text)
    signed = _signed_by(text, own, letter=letter)
    if signed is None and not letter and _is_of_an_office(text, own):
        return True
    return _addressed(text, own) if signed is None else not signed


def _as_title(name: str) -> str:
    """Return a title without its date, and the name of a file as words.

    >>> _as_title("2024-04-14-from-mr-ide"), _as_title("To-do for Mai")
    ('from mr ide', 'To-do for Mai')
    """
    title = _DATED.sub("", name)
    return title if " " in title or _REPLIES.match(title) else _JOINED.sub(" ", title)


def _titled(title: str) -> re.Match[str] | None:
    """Read a title that says from whom or to whom a letter is. 去年より 寒い is none: in Japanese
    it is somebody, an office, or stands alone.
    """
    found = _TITLE.match(title.rstrip())
    if found is None or not found["who_ja"]:
        return found
    alone = not found["rest"] and found["way_ja"] != "から"
    return (
        found
        if alone or _SOMEBODY_JA.search(found["who_ja"]) or _is_kin_or_named(found["who_ja"])
        else None
    )


def _is_kin_or_named(who: str) -> bool:
    kin = {word for each in relations().values() for word in (*each.japanese, each.polite)}
    return who in kin or is_person(who)


def _is_letter(text: str) -> bool:
    return bool(
        _GREETED.match(text) or _GREETED_JA.match(text) or _TO_ALL.match(text) or _closing(text)
    )


def _without_earlier(text: str) -> str:
    """Return a mail without the one that it answers."""
    rest = _QUOTED_REST.search(text)
    lines = text[: rest.start() if rest else len(text)].rstrip().split("\n")
    while len(lines) > 1 and (_QUOTED_LINE.match(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    return "\n".join(lines)


def _is_of_an_office(text: str, own: frozenset[str]) -> bool:
    """Tell whether an office, and not the person, signed a notice."""
    signed = signing_office(text)
    return bool(signed) and not any(is_called(key_of(word), own) for word in signed.split())


def _is_by(name: str, own: frozenset[str]) -> bool:
    keys = {key_of(each) for each in (name, *name.split())}
    surnames = {each.split()[-1] for each in own if " " in each}
    return any(is_called(key, own) or _ends_in(key, own) for key in keys) or bool(
        " " in name
        and name.isascii()
        and key_of(name.rsplit(maxsplit=1)[-1]) in surnames
        and any(each.startswith(key_of(name)[0]) for each in own)
    )


def _closing(text: str) -> bool:
    """Tell whether one of the last lines takes leave."""
    return any(_CLOSES.match(line.strip()) for line in text.rstrip().split("\n")[-3:])


def _signed_by(text: str, own: frozenset[str], *, letter: bool) -> bool | None:
    """Tell whether the person signed it, ``False``: another did, ``None``: nobody whom it shows."""
    last = _last_words(text, letter=letter)
    closes = _CLOSES.match(last)
    name, _, office = (last[closes.end() :] if closes else last).strip(" ,.*_—–―-").partition(",")
    words = name.split()
    if not name or len(words) > MOST_SIGNED or len(office.split()) > MOST_OFFICE:
        return None
    if not name.isascii() and unspaced(name):
        return None if last.endswith("。") else _names_owner_ja(name, own)
    if not all(_NAMED.fullmatch(word.strip(",&")) for word in words if word not in {"and", "&"}):
        return None
    return _names_owner(words, own)


def _last_words(text: str, *, letter: bool) -> str:
    """Return where a letter is signed; nothing where nobody could have signed."""
    line = text.rstrip().rsplit("\n", 1)[-1].strip()
    ends = max((match.end() for match in _LAST.finditer(line)), default=0)
    signs_letter = letter and (ends or "\n" in text.strip())
    signs = signs_letter or (ends and _FORMAL.match(line[ends:]))
    return line[ends:] if signs and not _HEAD.search(text) else ""


def _names_owner_ja(name: str, own: frozenset[str]) -> bool | None:
    """Tell whether a Japanese signature is the person's; ``None``: it is too long for one."""
    if len(name) > MOST_SIGNS:
        return None
    keys = [key_of(part) for part in (name, *name.split())]
    return any(is_called(key, own) or _ends_in(key, own) for key in keys)


def _names_owner(words: list[str], own: frozenset[str]) -> bool | None:
    """Tell whether a signature in Latin letters is the person's: a name of theirs, or its initials;
    ``None``: it only says what they are to the reader.
    """
    keys = [key for word in words if word not in {"and", "&"} and (key := key_of(word.strip(",")))]
    if not keys:
        return None
    if any(is_called(key, own) for key in (*keys, " ".join(keys))):
        return True
    for name in own:
        parts = name.split()
        initials = [len(key.rstrip(".")) == 1 for key in keys]
        if keys[0].rstrip(".") == parts[0][0] and (all(initials) or keys[-1] == parts[-1]):
            return True
    says_little = keys[0] in _RELATION and len(keys) == 1
    return None if says_little or _ends_in_initial(keys, own) else False


def _ends_in_initial(keys: list[str], own: frozenset[str]) -> bool:
    """Tell whether a signature may be the person's, of whom one name is known: Owen R."""
    initial = keys[-1].rstrip(".") if len(keys) > 1 else ""
    return len(initial) == 1 and any(name[0] == initial and " " not in name for name in own)


def _addressed(text: str, own: frozenset[str]) -> bool:
    """Tell whether a document says at its beginning that it goes to the person, or to many."""
    beginning = text[:BEGINNING]
    greeted = [*_GREETED.finditer(beginning), *_GREETED_JA.finditer(beginning)]
    first = _CALLED.match(text) or _CALLED_JA.match(text)
    return bool(
        any(_greets(each["who"], own) for each in greeted)
        or (first and (is_called(key := key_of(first["who"]), own) or _ends_in(key, own)))
        or _TO_ALL.match(beginning)
        or _ABOUT.match(beginning)
    )


def _greets(who: str, own: frozenset[str]) -> bool:
    """Tell whether one of those greeted is the person, by a name or by title and surname."""
    called = {key_of(name) for name in _SEVERAL.split(who)}
    given = {key_of(word) for word in who.split()[:2]}
    if own & (called | given) or any(is_called(key, own) or _ends_in(key, own) for key in called):
        return True
    surnames = {name.split()[-1] for name in own if " " in name}
    return bool(_BY_TITLE.search(who) and key_of(_BY_TITLE.sub("", who).strip(" ,")) in surnames)


def _ends_in(name: str, own: frozenset[str]) -> bool:
    """Tell whether a whole Japanese name ends in one by which the person is called."""
    return any(not key.isascii() and name.endswith(key) for key in own)


def _quoted(text: str, own: frozenset[str]) -> tuple[Span, ...]:
    """Return where somebody else is quoted: in quotation marks, in the lines of an earlier mail, in
    what is forwarded, and above the name of whom a verse is by.
    """
    found = [match.span() for match in _QUOTES.finditer(text)]
    found += [match.span() for match in _QUOTED_LINE.finditer(text)]
    heads = [match.span() for match in _HEAD.finditer(text)]
    begins = [start for start, _ in heads]
    for match in _QUOTED_REST.finditer(text):
        following = bisect_left(begins, match.end() + 1)
        # the head of what is forwarded stands right behind its mark
        if following < len(heads) and not text[match.end() : begins[following]].strip():
            following = bisect_left(begins, heads[following][1])
        found.append((match.start(), begins[following] if following < len(heads) else len(text)))
    for match in _OF_ANOTHER.finditer(text):
        if not is_called(key_of(match["who"]), own):
            start = text.rfind("\n\n", 0, match.start())
            found.append((max(0, start), match.end()))
    return tuple(sorted(found))
