"""Make `lpm_kernel/L0/language/glosses.tsv.xz`: the common words of Japanese with their English
meanings, from JMdict.

    pip install --no-deps jamdict-data==1.5 wordfreq==3.1.1 msgpack==1.1.2
    python -m tests.bench.make_glosses

The first brings JMdict as one SQLite file, the second says how common a word is: the commonest word
stands first. JMdict belongs to the Electronic Dictionary Research and Development Group and is used
under its licence, CC BY-SA 4.0 (https://www.edrdg.org/edrdg/licence.html); so are the frequencies
(Speer 2022, wordfreq), and so is the file made here.
"""

from __future__ import annotations

import gzip
import lzma
import re
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from lpm_kernel.L0.language import glosses as gloss

TO = Path(gloss.__file__).with_name("glosses.tsv.xz")
ENTRIES, SENSES, GLOSSES = 2, 3, 3
"""Of each word, entry and sense, so many are taken: the first are the usual ones."""
MOST = 8
_ASIDE = re.compile(r"\([^()]*\)")
_RARE = 10_000
"""What a word counts that stands in no list of frequencies: rarer than all others."""
_JAPANESE_MARK = re.compile(r"[・、。]")


def main() -> None:
    """Read JMdict and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "jmdict.db"
        db.write_bytes(lzma.decompress(packed().read_bytes()))
        common = frequencies()
        lines = sorted(
            rows(sqlite3.connect(db)),
            key=lambda line: (common.get(line.split("\t")[0], _RARE), line),
        )
    TO.write_bytes(
        lzma.compress(
            "".join(f"{line}\n" for line in lines).encode(), preset=9 | lzma.PRESET_EXTREME
        )
    )
    print(f"{len(lines):,} words, {TO.stat().st_size / 1000:.0f} kB")


def packed() -> Path:
    """Return the dictionary's file."""
    return _folder("jamdict_data") / "jamdict.db.xz"


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed: see the head of this file.")
    return Path(spec.origin).parent


def frequencies() -> Mapping[str, int]:
    """Return for each Japanese word its frequency in centibels below one."""
    import msgpack

    packed = (_folder("wordfreq") / "data" / "large_ja.msgpack.gz").read_bytes()
    _, *by_frequency = msgpack.unpackb(gzip.decompress(packed), strict_map_key=False)
    return {word: count for count, words in enumerate(by_frequency) for word in words}


def _plain(text: str) -> str:
    """Leave out what stands in brackets, also in brackets inside brackets."""
    while (shorter := _ASIDE.sub("", text)) != text:
        text = shorter
    return " ".join(text.split())


def rows(db: sqlite3.Connection) -> Iterator[str]:
    """Yield ``word<TAB>meaning<TAB>further meanings, separated by semicolons``."""
    meanings: dict[int, list[str]] = defaultdict(list)
    senses: dict[int, int] = defaultdict(int)
    glosses: dict[int, list[str]] = defaultdict(list)
    for sense, text in db.execute(
        "SELECT sid, text FROM SenseGloss WHERE lang = 'eng' ORDER BY rowid"
    ):
        glosses[sense].append(_plain(text))
    for entry, sense in db.execute("SELECT idseq, ID FROM Sense ORDER BY ID"):
        senses[entry] += 1
        if senses[entry] <= SENSES:
            meanings[entry] += [text for text in glosses[sense][:GLOSSES] if text]
    by_kana = {
        entry
        for (entry,) in db.execute(
            "SELECT s.idseq FROM Sense s JOIN misc m ON m.sid = s.ID WHERE m.text LIKE '%kana"
            " alone%'"
        )
    }
    with_kanji = {entry for (entry,) in db.execute("SELECT DISTINCT idseq FROM Kanji")}
    entries: dict[str, list[int]] = defaultdict(list)
    for entry, text in db.execute(
        # a word stands first for what it is the usual writing of
        "SELECT DISTINCT k.idseq, k.text FROM Kanji k JOIN KJP p ON p.kid = k.ID ORDER BY"
        " k.ID - (SELECT min(ID) FROM Kanji WHERE idseq = k.idseq AND text NOT GLOB '*[０-９]*'),"
        " k.idseq"
    ):
        entries[text].append(entry)
    for entry, text in db.execute(
        "SELECT DISTINCT k.idseq, k.text FROM Kana k JOIN KNP p ON p.kid = k.ID ORDER BY k.idseq"
    ):
        if entry in by_kana or entry not in with_kanji:
            entries[text].append(entry)
    for word, found in entries.items():
        every = list(
            dict.fromkeys(meaning for entry in found[:ENTRIES] for meaning in meanings[entry])
        )[:MOST]
        if every and not _JAPANESE_MARK.search(word):
            yield "\t".join(
                (word, every[0], ";".join(each.replace(";", ",") for each in every[1:]))
            )


if __name__ == "__main__":
    main()
