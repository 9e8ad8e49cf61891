"""Who somebody is, in an order of life: where they are from, family and people, work, places, what
is so now, and what was lately.

Sentences of the person's own, word for word, each chosen because it tells such a thing plainly and
stands alone: it has its subject in it, points at nothing that is said elsewhere, and is a whole
sentence. A life of which only a few loose sentences can be told has no biography.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L1.statements import life_facts, reflection
from lpm_kernel.L1.statements.extraction import signs
from lpm_kernel.L1.statements.reflection import PageLine, PageSection, selected
from lpm_kernel.L1.statements.stance import disagree

MOST_PART = 4
"""Sentences of one part of a life."""
MOST_VIEWS = 6
IN_SHORT = 3
"""Sentences of the short version."""
LONGEST: Mapping[Language, int] = {"en": 180, "ja": 90, "zh": 90}
SHORTEST: Mapping[Language, int] = {"en": 12, "ja": 6, "zh": 6}
LEAST_WORDS = 3

LIFE: tuple[PageSection, ...] = (
    PageSection.ORIGIN,
    PageSection.FAMILY,
    PageSection.WORK,
    PageSection.PLACES,
    PageSection.NOW,
)
"""The parts of a life, in their order."""

_KIN = (
    r"(?:wife|husband|partner|mother|father|mum|mam|mom|dad|parents|brother|sister|son|daughter"
    r"|twin|twins|children|grandmother|grandfather|gran|grandson|granddaughter|grandchildren|aunt"
    r"|uncle|cousin|niece|nephew|fianc[ée]e?|girlfriend|boyfriend|best friend)"
)
_POINTS = re.compile(
    r"\b(?:it|its|it's|this|that|these|those|there|here|you|your|yours|we|us|our|ours|one|ones"
    r"|so|such|today|yesterday|tomorrow|tonight|then|again|too|instead|anyway|else|yet"
    r"|(?:this|last|next) (?:morning|week|weekend|month|night|evening|afternoon|time)"
    r"|(?:the )?(?:same|other|former|latter|above|following))\b",
    re.IGNORECASE,
)
"""What is meant is said elsewhere, or by the day on which it was written."""
_PERSON = re.compile(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b", re.IGNORECASE)
_WHOM = re.compile(
    rf"\b[Mm]y (?:\w{{1,24}} )?{_KIN}\b|(?<=.)\b(?!I\b)[A-ZÀ-Þ][\w'’-]{{1,24}} "
    r"|^(?!I\b|My\b)[A-ZÀ-Þ]"
)
"""Of whom it may speak when it goes on with "he" or "her"."""
_SEVERAL = re.compile(r"[.!]\s+\S|。\s*\S")
"""It is more than one sentence."""
_SPOILT = re.compile(r"[\"“”«»「」『』()（）\[\]|*#_<>=…;:?!？！@]|\.\.|https?|\d{5}")
_IFS = re.compile(
    r"\b(?:if|would|could|should|might|maybe|perhaps|wish|hope|hoping|going to|will|want|wanted"
    r"|almost|nearly|joke|supposed|imagine|dreamt|dreamed|pretend\w*|not sure|as if|as though)\b",
    re.IGNORECASE,
)
_ORIGIN = re.compile(
    r"\bI (?:was (?:born|raised|brought up)|grew up|come from|am from|spent my childhood"
    r"|went to school in)\b|\bmy (?:parents|family|father|mother|grandparents|people) (?:come|came"
    r"|are|were|was|is) from\b",
    re.IGNORECASE,
)
_FAMILY = re.compile(
    r"\bI(?: am|'m| have been| was| got)? (?:happily |still )?(?:married|divorced"
    r"|widowed|engaged)\b"
    r"|\bI (?:met|married) my (?:wife|husband|partner)\b"
    r"|\bI have (?:a|an|no|one|two|three|four|five|six|\d) (?:\w+ )?(?:brother|sister|son|daughter"
    r"|child|children|kid|sibling|grandchild|twin)"
    rf"|^My (?:\w+ )?{_KIN}(?:,? [A-ZÀ-Þ]\w+,?)? (?:(?:is|are|was|were) (?:now |still )?"
    r"(?:an? |the |from |in (?-i:[A-ZÀ-Þ])|called |named |buried |dead\b|married|divorced|widowed"
    r"|retired|born |deaf\b|blind\b|\d|both )|lives?|lived|works?|worked"
    r"|has (?:an?|two|three|four) |died|married|teaches|taught|runs"
    r"|ran (?:an?|the) |studies|studied|(?:comes?|came) from"
    r"|moved (?:to|from|back)|owns|retired|plays the|built|makes)\b",
    re.IGNORECASE,
)
_TRADES = (
    r"(?:nurse|midwife|doctor|surgeon|dentist|vet|teacher|lecturer|professor|engineer|electrician"
    r"|plumber|carpenter|joiner|roofer|mason|builder|architect|surveyor|driver|pilot|sailor"
    r"|fisherman|farmer|gardener|baker|cook|chef|waiter|waitress|barber|hairdresser|tailor"
    r"|seamstress|potter|painter|sculptor|photographer|writer|translator|interpreter|journalist"
    r"|editor|librarian|archivist|scientist|biologist|chemist|physicist|programmer|developer"
    r"|designer|accountant|bookkeeper|clerk|secretary|lawyer|solicitor|judge|policeman|firefighter"
    r"|soldier|postman|manager|director|shopkeeper|cleaner|caretaker|mechanic|welder|technician"
    r"|musician|violinist|pianist|cellist|singer|actor|dancer|luthier|restorer|curator|student"
    r"|apprentice|civil servant|social worker|stage manager|officer|inspector|conductor)"
)
_WORK = re.compile(
    r"\bI (?:now |still |have )?(?:work|worked|am working|'m working) (?:as|at|for|in|with|on)\b"
    r"|\bI(?: am|'m| was| became| trained as| qualified as| worked as| have been)(?: now)? an?"
    rf" (?:\w+[ -]){{0,3}}{_TRADES}\b"
    r"|\bI (?:started|began|left|quit|got|took|lost|found|changed|resigned from|retired|studied"
    r"|study|graduated|trained|qualified|opened|run|ran|founded|teach|taught|joined)\b(?: \w+){0,6}"
    r" (?:job|work|company|firm|shop|caf[ée]|bakery|office|university|college|apprenticeship"
    r"|degree|business|school|workshop|studio|boatyard|factory|hospital|practice|library|museum"
    r"|orchestra|course|post)\b"
    r"|\bI (?:moved|closed|sold|bought|took over|rebuilt) (?:the|my|a) (?:workshop|shop"
    r"|caf[ée]|bakery|studio|office|practice|business|firm|farm)\b"
    r"|\bI (?:retired|studied \w+|graduated)\b",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"\bI(?:'ve| have)? (?:now |still )?(?:(?:live|lived|am living) (?:\w+ ){0,3}|settled "
    r"|emigrated |(?:moved|returned|came) (?:back )?)(?:in|to|at|from) (?:the )?"
    r"(?!Jan|Feb|Mar(?:ch)?\b|Apr|May\b|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?-i:[A-ZÀ-Þ])"
    r"|\bI (?:live|lived|bought|rent|rented|own|sold|built|inherited|took)\b"
    r"(?: \w+){0,4} (?:house|flat|apartment|cottage|farm|farmhouse|room|home|houseboat|barn)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"^(?:[\w']+ ){0,3}I (?:also |always |still |now |often |usually )?(?:play|sing|swim|run|cycle"
    r"|grow|keep (?!my word|in touch|quiet|calm|busy|\w+ing\b)|collect|speak|paint"
    r"|climb|sail|volunteer|knit|sew|bake|breed|restore|practise|row|fish"
    r"|am learning|'m learning|am allergic|am vegetarian"
    r"|am vegan|am left-handed|do not eat|don't eat|do not drink|don't drink|have (?:an?|two|three)"
    r" (?:\w+ )?(?:dog|cat|horse|car|boat|allotment|garden|bicycle))\b(?! out\b| into\b| up\b)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\bI (?:\w+ )?(?:\w{3,}ed|went|met|bought|sold|made|saw|began|won|lost|left|gave|took|wrote"
    r"|built|swam|sang|ran|drove|rode|flew|came|found|drew|read|taught)\b"
)
_WHERE_OR_WHO = re.compile(
    r"\b(?:with|to|in|at|from|for|near) (?:the )?[A-ZÀ-Þ][\w'’-]+"
    r"|\bon \d{1,2} [A-Z][a-z]+|\bin (?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December)\b"
)
_THE = re.compile(
    r"(?<!to )(?<!at )(?<!in )(?<!from )(?<!near )(?<!round )(?<!into )(?<!for )(?<!with )"
    r"\bthe (?!\w+ (?:of|in|at|from|for) )[a-zà-ÿ]+",
)
"""Something that is meant to be known, of which nothing was said."""

_POINTS_JA = re.compile(
    r"それ|これ|あれ|どれ|どちら|そこ|ここ|その|この|あの|彼|そう|こう|今日|昨日|明日|今朝|今夜|先日|さっき"
    r"|今週|先週|来週|また|さらに|もし|たら|れば|かも|だろう|でしょう|たい[。]?$|つもり|予定|らしい"
    r"|そうだ|という"
)
_ORIGIN_JA = re.compile(
    r"^(?:(?:私|僕|俺|わたし)は、?)?(?:[^、。はがの]{2,8}年(?:に、?|、))?[一-龯々ァ-ヶー]{2,8}"
    r"(?:で|に)(?:生まれ|育っ|生まれ育っ)(?:た|ました)[。]$"
    r"|^(?:(?:私|僕|俺|わたし)は、?)?[一-龯々ァ-ヶー]{2,8}の出身(?:だ|です|である)[。]$"
)
_KIN_JA = (
    r"(?:妻|夫|母|父|両親|兄|弟|姉|妹|息子|娘|長男|長女|次男|次女|祖母|祖父|孫|双子の\S{1,2}|従兄弟"
    r"|いとこ|叔母|叔父)"
)
_FAMILY_JA = re.compile(
    rf"^(?:私の|僕の|うちの)?{_KIN_JA}(?:の[^\s、。はが]{{1,6}})?(?:は|が)[^。]{{2,60}}"
    r"(?:住んで|働いて|勤めて|暮らして|亡くな|生まれ|歳だ|歳です|師だ|員だ|生だ|教えて|通って|営んで)"
    r"|^(?:私は|僕は|俺は)?[^、。「」]{0,24}(?:に|と|で)(?:結婚|離婚|再婚)(?:した|しました)。$"
    r"|^(?:私は|僕は|俺は)?(?:子供|兄弟|姉妹|息子|娘|孫)が[^。]{1,6}人いる。$"
)
_WORK_JA = re.compile(
    r"(?:(?:で|に|として)[^\s、。]{0,8}(?:働いて(?:いる|いた|います)|働き始めた|勤めて(?:いる|いた|います)"
    r"|勤めた|勤務して(?:いる|いた|います)|就職した|転職した)|を(?:退職した|定年退職した|開業した|卒業した)"
    r"|店を(?:開いた|継いだ|始めた)|を教えて(?:いる|いた|います)|(?:仕事|会社)を(?:辞めた|始めた|起こした)"
    r"|に弟子入りした)[。]$"
)
_PLACES_JA = re.compile(
    r"(?:に住んで(?:いる|いた|います)|(?:に|へ)引っ越し(?:た|ました)|(?:に|へ)移り住んだ"
    r"|で暮らして(?:いる|いた|います)|(?:家|部屋|マンション|アパート)を(?:買った|建てた|借りた))[。]$"
)
_NOW_JA = re.compile(
    r"(?:習って(?:いる|います)|飼って(?:いる|います)|弾いて(?:いる|います)|育てて(?:いる|います)"
    r"|通って(?:いる|います)|集めて(?:いる|います)|参加して(?:いる|います)|食べない|飲まない"
    r"|アレルギーが?(?:ある|だ|です))[。]?$"
)
_OF_OTHERS = frozenset({"named", "kin", "pronoun", "any", "thing"})
_OF_JA = re.compile(r"^(?P<of>[^、。]{1,14}?)[はが]")
_OWN_OR_WHEN_JA = re.compile(r"(?:私|僕|俺|わたし|ぼく|自分|年|月|日|今|現在|頃|歳|では|には)$")
_PARTS: Mapping[PageSection, tuple[re.Pattern[str], re.Pattern[str]]] = {
    PageSection.ORIGIN: (_ORIGIN, _ORIGIN_JA),
    PageSection.FAMILY: (_FAMILY, _FAMILY_JA),
    PageSection.WORK: (_WORK, _WORK_JA),
    PageSection.PLACES: (_PLACES, _PLACES_JA),
    PageSection.NOW: (_NOW, _NOW_JA),
}


@lru_cache(maxsize=20_000)
def part_of(text: str) -> PageSection | None:
    """Say which part of its writer's life a sentence tells, by itself; ``None`` where it tells none
    or does not stand alone.

    >>> [str(part_of(text)) for text in ("I was born in Cork.", "It was cold in Cork.",
    ...     "My brother Aksel lives in Tromsø.", "出雲の図書館で働いている。")]
    ['origin', 'None', 'family', 'work']
    """
    plain = _flat(text)
    if not stands_alone(plain):
        return None
    japanese = language_of(plain) == "ja"
    for section, patterns in _PARTS.items():
        if patterns[japanese].search(plain):
            other = japanese and section is not PageSection.FAMILY and _of_another_ja(plain)
            return None if other else section
    return None


def _of_another_ja(text: str) -> bool:
    of = _OF_JA.match(text)
    named = of is not None and not _OWN_OR_WHEN_JA.search(of["of"])
    return named or bool(signs(text) & _OF_OTHERS)


def stands_alone(text: str) -> bool:
    """Tell whether a sentence of the first person is whole and says whom and what it means.

    >>> [stands_alone(text) for text in ("I sold the boat to Nora.", "I told her so.", "sold boat",
    ...     "My sister Anna lives in Ghent with her husband.")]
    [True, False, False, True]
    """
    language = language_of(text)
    if _SEVERAL.search(text) or len(text) > LONGEST[language] or _SPOILT.search(text.rstrip("!！")):
        return False
    if language == "ja":
        return text.endswith(("。", "．")) and not _POINTS_JA.search(text)
    if language != "en":
        return False
    person = _PERSON.search(text)
    return (
        text[:1].isupper()
        and text.endswith((".", "!"))
        and len(text.split()) >= LEAST_WORDS
        and re.search(r"\bI\b|\b[Mm]y\b|\bI'", text) is not None
        and not _POINTS.search(text)
        and not _IFS.search(text)
        and (person is None or _WHOM.search(text[: person.start()]) is not None)
    )


def _tells_lately(claim: Claim) -> bool:
    """Tell whether it is something that the person did, told so that a stranger understands it."""
    text = _flat(claim.text)
    if _is_view(claim) or not stands_alone(text):
        return False
    if claim.kept:
        return True
    if language_of(text) == "ja":
        return "first" in claim.signs and part_of(text) is None
    return bool(
        re.match(r"(?:On |In )?[^,]{0,20},? ?I\b", text)
        and _DONE.search(text)
        and _WHERE_OR_WHO.search(text)
        and not _THE.search(text)
    )


def biography(
    mine: Sequence[Claim],
    lately: Sequence[Claim],
    by_others: Sequence[Claim] = (),
    called: Sequence[str] = (),
) -> list[PageLine]:
    """Say who somebody is, in their own sentences and in plain ones made of what theirs and others'
    carry; nothing where no part of their life can be told.

    All come weightiest first; ``lately`` is what was said of late, ``by_others`` what others say of
    them, ``called`` how the person is called. Of two that cannot both be so at one time the newer
    one stands.
    """
    page = _Page()
    standing = _newest_standing([claim for claim in mine if not _is_view(claim)])
    for section in LIFE:
        told = [claim for claim in standing if part_of(claim.text) is section]
        page.take(section, told, MOST_PART, SHORTEST)
    page.add(life_facts.told([*mine, *by_others], called))
    recent = [claim for claim in lately if _tells_lately(claim)]
    page.take(PageSection.LATELY, recent, MOST_PART)
    kept = [claim for claim in mine if claim.kept]
    plain = [claim for claim in kept if not _is_view(claim) and _is_plain(claim.text)]
    page.take(PageSection.LIFE, plain, MOST_PART)
    page.take(PageSection.VIEWS, [claim for claim in kept if _is_view(claim)], MOST_VIEWS)
    return page.lines()


class _Page:
    """Sentences of a biography as they are chosen, no two of which say the same."""

    def __init__(self) -> None:
        self._parts: dict[PageSection, list[Claim]] = {}
        self._made: list[PageLine] = []
        self._frames: Counter[str] = Counter()

    def take(
        self,
        section: PageSection,
        claims: Sequence[Claim],
        most: int,
        shortest: Mapping[Language, int] = reflection.SHORTEST,
    ) -> None:
        """Choose from these what is not on the page yet."""
        said = [claim for part in self._parts.values() for claim in part]
        places = {(claim.document, claim.start) for claim in said}
        rest = [claim for claim in claims if (claim.document, claim.start) not in places]
        self._parts[section] = selected(rest, most, self._frames, said, shortest)

    def add(self, lines: Sequence[PageLine]) -> None:
        """Take in sentences that were made of others, besides what the page says already."""
        quoted = {(claim.document, claim.start) for part in self._parts.values() for claim in part}
        for line in lines:
            places = {(claim.document, claim.start) for claim in line.evidence}
            if not places <= quoted:
                self._made.append(line)

    def lines(self) -> list[PageLine]:
        """Return the sentences in the order of the page; none where only what was lately is
        told.
        """
        order = (*LIFE, PageSection.LIFE, PageSection.VIEWS, PageSection.LATELY)
        told: list[PageLine] = []
        for section in order:
            quoted = self._parts.get(section, ())
            told += [PageLine(section, claim.text, (claim,)) for claim in quoted]
            told += [line for line in self._made if line.section is section]
        return told if any(line.section is not PageSection.LATELY for line in told) else []


def _is_plain(text: str) -> bool:
    plain = _flat(text)
    return stands_alone(plain) and not _THE.search(plain)


def _flat(text: str) -> str:
    return " ".join(text.split()).replace("’", "'")


def _is_view(claim: Claim) -> bool:
    return claim.kind is StatementKind.OPINION


def _newest_standing(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what a newer sentence of the person's cannot be so beside."""
    telling = [claim for claim in claims if part_of(claim.text) is not None]
    return [
        claim
        for claim in telling
        if not any(
            (other.moment or 0.0) > (claim.moment or 0.0)
            and disagree(claim.text, other.text) is not None
            for other in telling
        )
    ]


def in_short(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Choose up to three sentences of a biography, given as section and text in their order: what
    the person does, where they live, and with whom or where they are from; none of what else is.

    >>> in_short([("family", "I am married."), ("work", "I was a cook."), ("work", "I am a nurse."),
    ...     ("places", "I live in Cork."), ("lately", "I met Ann.")])
    ['I am married.', 'I am a nurse.', 'I live in Cork.']
    """
    by_section: dict[str, list[str]] = {}
    for section, text in lines:
        by_section.setdefault(section, []).append(text)
    newest_first = (PageSection.WORK, PageSection.PLACES)
    wanted = (*newest_first, PageSection.FAMILY, PageSection.ORIGIN)
    chosen = [
        by_section[section][-1 if section in newest_first else 0]
        for section in wanted
        if section in by_section
    ][:IN_SHORT]
    return [text for _, text in lines if text in chosen][:IN_SHORT]
