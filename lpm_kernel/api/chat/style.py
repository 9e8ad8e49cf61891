"""How the person writes, measured in what they wrote. For nobody but the person."""

from __future__ import annotations

from flask import Response

from lpm_kernel.api.chat.style_schemas import (
    CharacteristicWordOut,
    LanguageShareOut,
    LanguageStyleOut,
    OwnVoiceIn,
    StyleFigureOut,
    StyleOut,
)
from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.L2.alignment.style import LEAST, StyleProfile
from lpm_kernel.L2.alignment.style_wording import described

api = SETTINGS.blueprint("style", __name__)


@api.get("/identity/style", summary="How the person writes", responses={200: StyleOut})
def get_style() -> Response:
    """Measure it in the notes, mails and chat turns that are there now; a language of which there
    is too little has a share and no figures.
    """
    return _style()


@api.put(
    "/identity/style",
    summary="Say whether answers take on how you write",
    responses={200: StyleOut},
)
def put_style(body: OwnVoiceIn) -> Response:
    """Write it to settings.toml. Quotations, names and numbers stay as they are either way."""
    node().ports.change_settings(own_voice=body.own_voice)
    return _style()


def _style() -> Response:
    here = node()
    measured = here.style.measured(private=True)
    return json_response(
        StyleOut.model_validate(
            {
                "own_voice": here.ports.settings.own_voice,
                "taken_on": here.style.is_taken_on,
                "documents": measured.documents,
                "turns": measured.turns,
                "languages": [
                    LanguageShareOut.model_validate(
                        {
                            "language": name,
                            "share": share,
                            "characters": measured.characters.get(name, 0),
                            "needed": LEAST.get(name),  # type: ignore[call-overload]  # none for others
                        }
                    )
                    for name, share in measured.mix.items()
                ],
                "styles": [_serialised(each) for each in measured.profiles.values()],
            }
        )
    )


def _serialised(profile: StyleProfile) -> LanguageStyleOut:
    return LanguageStyleOut(
        language=profile.language,
        texts=profile.texts,
        sentences=profile.sample.sentences,
        characters=profile.sample.characters,
        tells_apart=profile.tells_apart,
        figures=[
            StyleFigureOut(name=each.name, own=round(each.own, 4), general=round(each.general, 4))
            for each in profile.figures
        ],
        words=[
            CharacteristicWordOut(
                word=each.word, own=round(each.own, 2), general=round(each.general, 2), z=each.z
            )
            for each in profile.words
        ],
        told=" ".join(described(profile, Voice(profile.language))),
    )
