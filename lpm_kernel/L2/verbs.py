"""English verbs, as far as a dictionary of glosses knows them."""

from __future__ import annotations

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.stopwords import IRREGULAR


def base(word: str) -> str:
    """Give the bare form of an English verb, and nothing for a word that is none.

    >>> base("moved"), base("taught"), base("carries"), base("teapot")
    ('move', 'teach', 'carry', '')
    """
    plain = word.lower().strip(",;:")
    if not plain.isalpha():
        return ""
    stem = IRREGULAR.get(plain, "")
    tries = [stem, plain]
    for ending, instead in (
        ("ied", "y"),
        ("ies", "y"),
        ("ed", ""),
        ("d", ""),
        ("es", ""),
        ("s", ""),
        ("ing", ""),
        ("ing", "e"),
    ):
        if plain.endswith(ending):
            tries.append(plain.removesuffix(ending) + instead)
    if plain.endswith("ed") and len(plain) > 4 and plain[-3] == plain[-4]:  # noqa: PLR2004 - stopped: stop
        tries.append(plain[:-3])
    return next((each for each in tries if each and glosses.known(f"to {each}")), "")
