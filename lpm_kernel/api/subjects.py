"""Subjects of the contract whose routes stand in several modules."""

from __future__ import annotations

from dataclasses import dataclass

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from flask_openapi3.utils import get_operation_id_for_path


@dataclass(frozen=True)
class Subject:
    """A tag of the contract, and what its paths begin with. Its operations are named after it, in
    whichever module they stand; what one path does stands in one module.
    """

    name: str
    description: str
    prefix: str = "/api"

    def blueprint(self, part: str, module: str) -> APIBlueprint:
        """Make the blueprint of one module; ``part`` names it for Flask."""
        return APIBlueprint(
            part,
            module,
            url_prefix=self.prefix,
            abp_tags=[Tag(name=self.name, description=self.description)],
            operation_id_callback=self._operation_id,
        )

    def _operation_id(self, **operation: str) -> str:
        return get_operation_id_for_path(**(operation | {"bp_name": self.name}))


DOCUMENTS = Subject("documents", "What came in, untouched", "/api/documents")
HOME = Subject("home", "Erase, audit, back up, export, import, verify")
PEOPLE = Subject("people", "Other people, and what they may ask")
SETTINGS = Subject("settings", "You, the screen, the model, keys")
TRAINING = Subject("training", "Memory in weights", "/api/training")
