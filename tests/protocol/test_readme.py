"""The example in the README runs as it stands."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "protocol" / "README.md"


def test_the_example_runs() -> None:
    text = README.read_text("utf-8").partition("```python\n")[2].partition("```")[0]
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)
    assert len(test.examples) > 20
    results = doctest.DocTestRunner().run(test)
    assert results.failed == 0
