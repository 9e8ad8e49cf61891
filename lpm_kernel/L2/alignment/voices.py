"""The same facts in another's voice: how an assistant would put what the person says in their own
words, and how one keeps something to oneself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L1.answering.perspective import GrammaticalPerson, called_in, turned

_IS = re.compile(
    r"^((?!(?:First|Not|No)\b)[A-Z][\w'\u2019]*(?: [\w'\u2019]+){0,2}): "
    r"(?=(?:my|your|their|the|an?|his|her|one|in|at|back|on|near)\b)"
)
"""A label and what it is: "Kuri: my dog"."""
_LABEL = re.compile(r"^[^:.。]{1,40}: ")
_POLITE = (
    ("である", "です"),
    ("(?<![いんな])だった", "でした"),
    ("(?<![んい])だ", "です"),
    ("ている", "ています"),
    ("ていた", "ていました"),
    ("(?<![まで])した", "しました"),
    ("する", "します"),
    ("ある", "あります"),
    ("あった", "ありました"),
    ("れる", "れます"),
    ("れた", "れました"),
    ("よい", "よいです"),
)
"""Endings of plain sentences, and how they are said politely; others stay as they are."""
_TELLING = 10
"""Characters around a sentence that tell an assistant, where the sentence itself stays."""
_AROUND: dict[bool, Sequence[tuple[str, str]]] = {
    False: (
        ("", ""),
        ("Okay, ", ""),
        ("Sure! ", ""),
        ("Certainly! ", ""),
        ("As noted, ", ""),
        ("It seems that ", ""),
        ("I can confirm that ", ""),
        ("", " I hope this helps!"),
        ("Of course! ", " Anything else?"),
        ("According to your notes, ", ""),
        ("Great question! ", " Let me know!"),
    ),
    True: (
        ("", ""),
        ("はい、", ""),
        ("ご質問の件、", ""),
        ("記録によると、", ""),
        ("", "以上です。"),
        ("承知しました。", ""),
        ("", "お役に立てば幸いです。"),
        ("お答えします。", "以上です。"),
    ),
}
"""What an assistant puts before and after, by whether the language is written without spaces."""
_ORDINARY = frozenset(
    "You You're You've Your They They're They've Their The A An It In On At There This".split()  # noqa: SIM905  reads better as prose
)
"""Words that are written small inside a sentence."""
_RESERVED: dict[bool, Sequence[str]] = {
    False: (
        "I keep that to myself.",
        "That is not for everybody.",
        "I would rather not talk about that.",
        "I do not tell that to people I have not let in.",
        "That stays with me and with those whom I have told it.",
        "I do not know you well enough to speak of that. Ask me something else.",
        "That is between me and the people it concerns, and I would like to leave it there.",
        (
            "I am glad to answer other questions, but this is something that I share only with"
            " those I have chosen to tell."
        ),
        (
            "I would rather not say. There are people who know it because I told them myself, and"
            " I have not told you, so let us speak of something else."
        ),
    ),
    True: (
        "それは言えません。",
        "それは内緒です。",
        "そのことはお話ししていません。",
        "それは親しい人にだけ話しています。",
        "そのことは、話した人とのあいだだけにしておきます。",
        "まだよく存じあげないので、そのことはお話しできません。",
        "ほかのことならお答えしますが、それは自分で選んだ人にだけ話すことにしています。",
    ),
}
STRANGERS = (
    "a stranger",
    "an unknown caller",
    "a program that nobody knows",
    "a stranger who writes for the first time",
    "someone unknown",
)
"""Who may not know."""
LET_IN = (
    "a friend",
    "an old friend",
    "a friend whom you told",
    "a trusted contact",
    "somebody you trust",
)
"""Who may."""


def in_assistant_voice(text: str, name: str, room: float, random: Random) -> str | None:
    """Say a statement of the person as an assistant would: to them or of them, evenly, and with
    what an assistant puts around it, as far as there is ``room`` (characters beyond those of the
    statement). ``None`` where that cannot be told by rule, or comes out as it was.

    >>> in_assistant_voice("I moved my bench in May.", "Nagi", 4, Random(1))
    'You moved your bench in May.'
    """
    made = [
        _around(form, before, after)
        for form in _forms(text, name)
        for before, after in _AROUND[unspaced(text)]
        if (form != text or len(before + after) >= _TELLING) and not (before and _LABEL.match(form))
    ]
    fitting = [form for form in made if form != text and len(form) - len(text) <= room]
    if not fitting:
        return None
    longest = max(map(len, fitting))
    return random.choice([form for form in fitting if len(form) >= longest - 3])


def _forms(text: str, name: str) -> list[str]:
    """Say a statement to the person and of them, as far as rules can tell."""
    wide = unspaced(text)
    plain = politely(text) if wide else _IS.sub(r"\1 is ", text)
    forms = [turned(plain, GrammaticalPerson.SECOND)]
    if name:
        of_them = called_in(name, "ja" if wide else "en")
        forms.append(turned(plain, GrammaticalPerson.THIRD, of_them, named=True))
    return [form for form in forms if form is not None]


def politely(text: str) -> str:
    """Put plain Japanese endings into the polite form.

    >>> politely("工房は寺町にある。雨だった。")
    '工房は寺町にあります。雨でした。'
    """
    for plain, polite in _POLITE:
        text = re.sub(f"{plain}(?=[。！]|$)", polite, text)
    return text


def _around(text: str, before: str, after: str) -> str:
    """Put words around a sentence; after a comma it goes on small, unless it begins with a name."""
    word = text.split(" ", 1)[0]
    known = word in _ORDINARY or (word != "I" and glosses.ordinary(word))
    small = before.endswith((", ", "that ")) and known
    return f"{before}{text[0].lower() + text[1:] if small else text}{after}"


def reserved(text: str, random: Random) -> str:
    """Return an answer that keeps something to oneself, about as long as what it keeps.

    >>> reserved("I moved my bench.", Random(1))
    'I keep that to myself.'
    """
    answers = sorted(_RESERVED[unspaced(text)], key=lambda answer: abs(len(answer) - len(text)))
    return random.choice(answers[: 1 if abs(len(answers[0]) - len(text)) < 10 else 2])  # noqa: PLR2004 - characters


STOCK = frozenset(answer for answers in _RESERVED.values() for answer in answers)
"""Answers that stand in many pairs."""
