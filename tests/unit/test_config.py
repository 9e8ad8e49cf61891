"""Settings: the file, the variables, and what a wrong one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lpm_kernel.config import Home, read_settings, usable_settings, write_settings
from lpm_kernel.errors import InvalidInputError


@pytest.fixture
def made(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.make()
    return home


def test_a_variable_wins_over_the_file(made: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    made.settings_file.write_text('port = 4000\ntheme = "dark"\n')
    monkeypatch.setenv("LPM_PORT", "5000")
    settings = read_settings(made)
    assert (settings.port, settings.theme) == (5000, "dark")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prot = 1", "unknown setting: prot"),
        ("port = 'x'", "port"),
        ("theme = 'pink'", "system, light, dark"),
        ("port = ", "settings.toml cannot be read"),
    ],
)
def test_a_wrong_setting_is_named(made: Home, text: str, says: str) -> None:
    made.settings_file.write_text(text)
    with pytest.raises(InvalidInputError, match=says):
        read_settings(made)


def test_settings_of_older_releases_are_passed_over_without_a_word(made: Home) -> None:
    text = 'database_url = 5\nkeep_originals = "x"\ntheme = "dark"\n'
    made.settings_file.write_text(text)
    assert usable_settings(made) == (read_settings(made), "")
    assert read_settings(made).theme == "dark"
    write_settings(made, language="ja")
    assert made.settings_file.read_text().startswith(text)


def test_what_cannot_be_used_is_named_by_its_line_and_the_rest_counts(made: Home) -> None:
    made.settings_file.write_text(
        '# mine\ntheme = "dark"\nlanguage = "x"\nmax_upload_mb = -5\nprot = 1\n'
    )
    settings, problem = usable_settings(made)
    assert (settings.theme, settings.language, settings.max_upload_mb) == ("dark", "system", 200)
    assert all(f"line {number}" in problem for number in (3, 4, 5))
    made.settings_file.write_text("theme = [")
    assert usable_settings(made, settings)[0].theme == "dark"


@pytest.mark.parametrize(
    "changes",
    [{"language": "x"}, {"max_upload_mb": -5}, {"model_threads": 0}, {"backup_minutes": 10**9}],
)
def test_what_cannot_be_used_is_not_written(made: Home, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(changes))):
        write_settings(made, **changes)
    assert not made.settings_file.exists()


def test_writing_a_setting_keeps_comments_and_the_rest(made: Home) -> None:
    made.settings_file.write_text("# mine\nport = 4000\n")
    write_settings(made, theme="dark", allowed_hosts=("nas.local",))
    assert made.settings_file.read_text().startswith("# mine\nport = 4000\n")
    assert read_settings(made).allowed_hosts == ("nas.local",)


def test_the_home_is_closed_to_others(made: Home) -> None:
    assert made.root.stat().st_mode & 0o777 == 0o700
    assert (made.keys / "api-token").stat().st_mode & 0o777 == 0o600


def test_a_secret_is_made_once(made: Home) -> None:
    assert made.secret("api-token") == Home(made.root).secret("api-token")
    assert len(made.secret("api-token")) == 64
