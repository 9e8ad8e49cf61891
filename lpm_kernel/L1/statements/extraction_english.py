"""What the form of an English sentence says about whether it is worth keeping: closed classes,
endings, and lists of verbs by meaning. A tagger is asked only whether a verb opens it or a name.
"""

from __future__ import annotations

import re

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language.analysis import names, terms, traits
from lpm_kernel.L0.language.english import is_verb_at
from lpm_kernel.L0.language.stopwords import ENGLISH, IRREGULAR


def _class(words: str) -> frozenset[str]:
    return frozenset(words.split())


KIN = _class(
    "mum mom mamma mama mother dad papa father parents gran granddad grandmother grandfather"
    " grandma grandpa granny brother sister son daughter twins child children wife husband partner"
    " uncle aunt cousin niece nephew neighbour neighbor landlord landlady friend boss colleague"
    " doctor dentist dog cat family girlfriend boyfriend fiancé grandson granddaughter"
)
_I = _class("i i'm i've i'd i'll we we're we've we'd we'll")
_MY = _class("my our mine")
_THEY = _class(
    "he she it they this that these those there he's she's it's they're they've they'll he'd she'd"
    " he'll she'll it'll that's there's here one some nobody everybody everyone people somebody"
    " someone something nothing everything whoever all none most anyone others"
)
_YOU = _class("you your yours yourself you're you'll you've u")
_HELPS = _class(
    "is are was were am has have had will won't isn't wasn't aren't weren't hasn't haven't hadn't"
    " does doesn't do don't did didn't can can't cannot could couldn't would wouldn't"
)
_OPENS = _class(
    "on in at by since during after before from until last next this every yesterday today tonight"
    " tomorrow now then when while once over for"
)
"""What opens a phrase of time or place before the subject."""
_ARTICLES = _class("the a an every each no any")
_SEASONS = _class(
    "day morning afternoon evening night week weekend month year spring summer autumn fall"
    " winter end"
)
_BETWEEN = _class(
    "so and but well actually finally also just still sadly luckily honestly because both"
)
_NO_PAST = _class("need feed bleed indeed speed seed bed red shed bred weed hundred")
_PAST = frozenset(form for form in IRREGULAR if not form.endswith(("s", "ing"))) | _class(
    "bought had met got went took made came saw read ran won paid met lost sold left ate drank put"
    " cut hurt let"
)
_BIDS = _class(
    """add ask be book bring call check chop choose click close come consider contact cook cover cut
    discard do don't drain draw drop enter fill find follow fold get give go heat hold imagine
    insert keep leave let lift look make mind mix note open pack pass peel pick place please pour
    prepare press pull push put read refer remember remove repeat replace return rinse roll see
    select send serve set shake sign slice sprinkle stay stir stop submit take tell think touch
    transfer try turn use wait wash watch water whisk wipe write never always"""
)
_NUMBERS = _class(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty"
    " seventy eighty ninety hundred thousand first second third half several many few both"
)
_NO_NAMES = ENGLISH | _BIDS | _OPENS | _NUMBERS | _BETWEEN | _I | _MY | _THEY | _YOU
"""What begins with a capital only because the sentence does."""
_POINTS = _class(
    "he she it they him her them his hers its their this that these those there's it's he's she's"
    " they're that's"
)
"""What points at something said elsewhere."""
_GREETS = re.compile(
    r"^\W*(?:hi|hello|hey|dear|good (?:morning|evening|afternoon|night)|thanks?|thank you|cheers"
    r"|sorry|congratulations|welcome|bye|see you|talk (?:to you )?soon|speak soon"
    r"|(?:best|kind|warm)(?: wishes| regards|,|$)|yours"
    r"|hope|hoping|looking forward|give my|all the best|take care|happy (?:birthday|new|to)|merry"
    r"|long time|to whom|let me|please|many thanks|love,|love from)\b",
    re.IGNORECASE,
)
_FILLS = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yeah|yep|no|nope|well|right|um+|uh+|er|ah|oh|wow|lol|ha(?:ha)*|hm+"
    r"|anyway|exactly|sure|great|fine|what a|not|same|nothing|as I (?:was|said))\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"^\W*(?:if|unless|whether|imagine|suppose|perhaps|maybe)\b"
    r"|\b(?:if|wish|might|maybe|perhaps|probably|could|would have|would be|should)\b",
    re.IGNORECASE,
)
_ORDAINS = re.compile(
    r"\b(?:must|shall|may not|are (?:requested|asked|required|expected|advised|not allowed)"
    r"|is (?:asked|requested|required|forbidden|prohibited|advised)|prohibited|forbidden"
    r"|mandatory|obliged)\b",
    re.IGNORECASE,
)
_WEATHER = re.compile(
    r"\b(?:rain(?:s|ed|ing|y)?|sun(?:ny|shine)?|drizzl\w+|snow(?:s|ed|ing|y)?|cold|chilly|warm"
    r"|hot|windy|fog(?:gy)?|weather|cloudy|grey)\b",
    re.IGNORECASE,
)
_HEADS = re.compile(
    r"^\W*(?:part|chapter|section|page|item|agenda|subject|re|fw|notes|table|figure|appendix"
    r"|\d+[.)])\b[^.!]*$|^(?-i:[A-ZÀ-Þ]{3,} [A-ZÀ-Þ]{2,})",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\bI(?:'m| am)? (?:don't |do not |can't |cannot |just |only |really |also )*"
    r"(?:know|see|guess|mean|hope|wonder|think so|wondering|was wondering|believe|understand"
    r"|suppose|saying|said|sure)\b|\bwe'll see\b|\bget back to\b",
    re.IGNORECASE,
)
"""Talk about the talk: it tells nothing of the person."""
_IMAGE = re.compile(
    r"(?<!look )(?<!looks )(?<!feel )\blike an? |\bas if\b|\bas though\b", re.IGNORECASE
)
"""It paints: what it says is not quite what is meant."""
_LIKES = re.compile(
    r"\b(?:(?:I|we|they|not|n\'t|to|still|really|also|always) like|likes|liked|love[sd]?"
    r"|hate[sd]?|prefer(?:s|red)?|enjoy(?:s|ed)?|favou?rite|can't stand|adore[sd]?|dislike[sd]?"
    r"|rather|fond of|best|worst|(?:I|we) (?:still )?(?:think|find|believe|feel)"
    r"|thinks|finds|believes|convinced|opinion|exhausting|boring|mistake)\b",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:going to|plan(?:s|ning|ned)?|will|won't|intend\w*|promised|booked|agreed|decided"
    r"|decision|wants? to|due|about to|'ll|hop(?:es?|ing) to|appointment|deadline"
    r"|next (?:week|month|year|spring|summer|autumn|fall|winter)|expires?)\b",
    re.IGNORECASE,
)
_LIFE = frozenset(
    terms(
        """live life move bear die marry divorce work start quit resign retire study learn teach
        graduate buy sell own rent join leave lose find break visit travel cycle finish build sign
        meet adopt speak play grow diagnose operate allergic owe call name elect cancel hire win
        become run keep lead lend install close open order pregnant engage birthday doctor school
        university college job house flat daughter son brother sister wife husband father mother
        parents vegetarian allergy pay cost rent key hang plant repair paint sing train swim climb
        pass fail apply accept choose change quarrel drive give drink eat smoke afraid age member
        treasurer friend collect earn save donate inherit publish write record"""
    )
)
_PLACE = re.compile(r"\b(?:in|at|from|to|near|on|of|for|through) (?:the )?[A-ZÀ-Þ][\w'’-]+")
_TOKEN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ][\w'’-]*|\d[\d.,:]*|[,;:]")
_LABEL = re.compile(
    r"^\s*(?:(?:action|decision|agreed|note|update|fact|ps|fyi|todo|done"
    r"|\d{1,2} ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|\d{4}-\d\d-\d\d"
    r"|[A-ZÀ-Þ][\w'’-]+)\s*[:–—-]\s+)",
    re.IGNORECASE,
)


_FORMS = {
    "likes": _LIKES,
    "plans": _PLANS,
    "supposes": _SUPPOSES,
    "ordains": _ORDAINS,
    "greets": _GREETS,
    "fills": _FILLS,
    "weighs": _WEIGHS,
    "heads": _HEADS,
}
_SHORTENED = re.compile(r"'(?:s|m|re|ve|ll|d)$")
LEAST_FORM = 4
"""Letters from which an ending tells a form."""
LEAST_SAID = 3
"""Words with a meaning of their own: who, what, and one thing more."""


def signs(text: str) -> set[str]:
    """Say what speaks for a sentence and against it.

    >>> sorted(signs("Priya lives in Ghent."))
    ['life', 'named', 'place', 'state']
    >>> sorted(signs("He laughed."))
    ['past', 'pronoun', 'short', 'vague']
    """
    said = _said(text)
    tokens = _TOKEN.findall(said)
    lower = [token.lower() for token in tokens]
    words = [token for token in lower if token[0].isalnum()]
    subject, behind = _subject(tokens, lower)
    is_so = {
        subject: True,
        **_by_verb(subject, words, lower[behind:]),
        **_by_words(subject, words, said),
        **_by_writing(text, words),
    }
    return {name for name, so in is_so.items() if so} | {
        name for name, pattern in _FORMS.items() if pattern.search(said)
    }


def _by_verb(subject: str, words: list[str], behind: list[str]) -> dict[str, bool]:
    """Say whether the sentence tells what happened, what is so, or what is to be done."""
    past = any(_is_past(word) for word in words)
    state = (
        bool(set(words) & _HELPS)
        or any(_SHORTENED.search(word) for word in words)
        or _states(behind)
    )
    return {
        "past": past,
        "state": state,
        "verbless": not (past or state or subject in {"first", "named"}),
        "bids": bool(words) and words[0] in _BIDS and subject in {"bare", "thing"},
    }


def _by_words(subject: str, words: list[str], said: str) -> dict[str, bool]:
    return {
        "life": bool(set(terms(said)) & _LIFE),
        "place": _PLACE.search(said) is not None or bool(_names(said)),
        "vague": bool(set(words) & _POINTS) and subject not in {"named", "kin"},
        "you": bool(set(words) & _YOU),
        "short": len([word for word in words if word not in ENGLISH]) < LEAST_SAID,
        "weather": _WEATHER.search(said) is not None and subject in {"bare", "pronoun", "thing"},
    }


def _by_writing(text: str, words: list[str]) -> dict[str, bool]:
    form = traits(text)
    return {
        "asks": bool(form & Trait.QUESTION) or "?" in text,
        "time": bool(form & Trait.TIME),
        "number": bool(form & Trait.NUMBER),
        "fragment": (
            text[:1].islower()
            and bool(words)
            and words[0] not in _I | _MY
            and not _is_past(words[0])
        ),
        "image": _IMAGE.search(text) is not None,
    }


def _said(text: str) -> str:
    """Leave out who or what the sentence is filed under: ``Action:``, ``14 Feb:``, a speaker."""
    plain = text.replace("’", "'")
    label = _LABEL.match(plain)
    return plain[label.end() :] if label and len(plain) > label.end() else plain


def _names(text: str) -> list[str]:
    """Give the names in a text, without the capitals of "And I've" and "Took Mai to the rink"."""
    found = (_past_the_verb(name, text) for name in names(text))
    return [name for name in found if not all(word.lower() in _NO_NAMES for word in name.split())]


def _past_the_verb(name: str, text: str) -> str:
    """Give a name without the verb that its sentence begins with."""
    _, _, rest = name.partition(" ")
    at = text.find(name) if rest else -1
    opens = at == 0 or (at > 0 and text[:at].rstrip()[-1:] in {*".!?:;"})
    return rest.removeprefix("the ") if opens and is_verb_at(text, at) else name


def _subject(tokens: list[str], lower: list[str]) -> tuple[str, int]:
    """Say who or what the sentence is about, and behind which word."""
    at = next(
        (i for i, word in enumerate(lower) if word not in _BETWEEN | {",", ";", ":"}), len(lower)
    )
    if at < len(lower) and (
        lower[at] in _OPENS
        or (lower[at] in {"the", "a"} and at + 1 < len(lower) and lower[at + 1] in _SEASONS)
    ):
        at = _after_opening(tokens, lower, at)
    if at >= len(lower):
        return "bare", at
    found, size = _kind(tokens, lower, at)
    return found, at + size


def _kind(tokens: list[str], lower: list[str], at: int) -> tuple[str, int]:
    """Say who or what the word there stands for, and of how many words that is told."""
    word, following = lower[at], lower[at + 1 : at + 5]
    if word in _I or ("and" in following[:2] and "i" in following[:3]):
        return "first", 1
    if word in _MY:
        return "kin" if set(following[:3]) & KIN else "mine", 2
    if word in _ARTICLES:
        return _behind_article(word, tokens[at + 1 : at + 4]), 2
    if word in KIN and tokens[at][0].isupper() and not set(following[:1]) & {",", "of"}:
        kind = "kin"
    elif word in _THEY:
        kind = "pronoun"
    elif _looks_named(tokens, lower, at):
        kind = "named"
    else:  # "Bought a loom": the diary's own way of saying I
        return "first" if _is_past(word) and at == 0 else "bare", 0
    return kind, 1


def _behind_article(article: str, following: list[str]) -> str:
    if any(token[0].isupper() for token in following):
        return "named"
    return "thing" if article == "the" else "any"


def _after_opening(tokens: list[str], lower: list[str], at: int) -> int:
    """Go on to the subject: behind the comma, or to the first word that can only be one."""
    for i in range(at + 1, min(len(lower), at + 12)):
        if lower[i] == "," and i + 1 < len(lower):
            return i + 1
        if lower[i] in _I | _MY | {"he", "she", "they", "it"}:
            return i
        if (
            i > at + 1
            and tokens[i][0].isupper()
            and i + 1 < len(lower)
            and (lower[i + 1] in _HELPS or _is_past(lower[i + 1]))
        ):
            return i
    return at + 1


def _looks_named(tokens: list[str], lower: list[str], at: int) -> bool:
    """Say whether a capital is a name: it stands before a verb, or before the person that it is
    explained by.
    """
    if not tokens[at][0].isupper() or lower[at] in _NO_NAMES:
        return False
    last = _ends(tokens, at)
    if lower[last].endswith("'s"):
        return True
    following = lower[last + 1 : last + 3]
    if not following:
        return False
    if following[0] in {"mr", "mrs", "ms", "dr"} or following[0] == ",":
        return following[0] != "," or (
            len(following) > 1 and following[1] in {"who", "my", "our", "the", "a", "whose"}
        )
    if following[0] in {"and", "&"}:
        return last + 2 < len(tokens) and (tokens[last + 2][0].isupper() or lower[last + 2] in _MY)
    verb = (
        following[1]
        if following[0] in {"still", "always", "never", "also", "now", "just", "only", "finally"}
        and len(following) > 1
        else following[0]
    )
    return (
        verb in _HELPS - {"are", "were", "have"}
        or _is_past(verb)
        or _third_person(verb)
        or verb in {"used", "owes"}
    )


def _ends(tokens: list[str], at: int) -> int:
    """Say which word a name ends with: capitals that stand together are one name."""
    last = at
    while last + 1 < len(tokens) and tokens[last + 1][:1].isupper() and tokens[last + 1].isalpha():
        last += 1
    return last


def _states(rest: list[str]) -> bool:
    """Say whether a verb in the third person stands near the subject."""
    return any(_third_person(word) and not word.endswith(("us", "'s")) for word in rest[:3])


def _third_person(word: str) -> bool:
    return len(word) >= LEAST_FORM and word.endswith("s") and not word.endswith("ss")


def _is_past(word: str) -> bool:
    regular = len(word) >= LEAST_FORM and word.endswith("ed") and word not in _NO_PAST
    return (
        regular or (word in _PAST and word not in ENGLISH) or word in {"had", "went", "was", "were"}
    )


def named(text: str) -> tuple[str, ...]:
    """Give whom a sentence names, the one it opens with included.

    >>> named("Kirsi and I went to Oulu."), named("Took Kirsi to the rink.")
    (('Kirsi', 'Oulu'), ('Kirsi',))
    """
    said = _said(text).lstrip()
    tokens = _TOKEN.findall(said)
    lower = [token.lower() for token in tokens]
    first: list[str] = []
    if tokens and _looks_named(tokens, lower, 0) and not is_verb_at(said, 0):
        last = next(
            (i for i in range(1, _ends(tokens, 0) + 1) if lower[i] == "i"), _ends(tokens, 0) + 1
        )
        first = [" ".join(tokens[:last]).removesuffix("'s")]
    return tuple(dict.fromkeys((*first, *_names(text))))
