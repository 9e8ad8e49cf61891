"""Versions and their differences, as clients see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lpm_kernel.api.library import version_schemas
from lpm_kernel.api.library.version_schemas import DiffOut, VersionList, VersionOut
from lpm_kernel.usecases.library.differences import DiffLine
from lpm_kernel.usecases.library.versions import Version


def serialise_versions(versions: Iterable[Version]) -> VersionList:
    """Show versions."""
    return VersionList(
        items=[
            VersionOut(
                document=v.document, number=v.number, at=v.at, bytes=v.bytes, current=v.current
            )
            for v in versions
        ]
    )


def serialise_diff(lines: Sequence[DiffLine]) -> DiffOut:
    """Show what changed."""
    return DiffOut(
        lines=[
            version_schemas.DiffLine(
                part=diff_line.part.value,
                text=diff_line.text,
                before=diff_line.before,
                after=diff_line.after,
            )
            for diff_line in lines
        ]
    )
