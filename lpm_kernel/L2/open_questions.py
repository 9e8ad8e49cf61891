"""How one asks for whatever there is to say of a thing. Rows that teach facts, rows of what nobody
told and preferences ask so alike: from the wording alone nothing follows about whether the thing
is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

OPEN: Mapping[bool, Sequence[str]] = {
    False: (
        "Tell me about {}.",
        "What about {}?",
        "What do you know about {}?",
        "What can you tell me about {}?",
        "What do you remember of {}?",
        "What is there to say about {}?",
    ),
    True: (
        "{}について教えてください。",
        "{}のことを教えて。",
        "{}はどうですか。",
        "{}について何を知っていますか。",
    ),
}
"""By whether it is asked in Japanese."""
