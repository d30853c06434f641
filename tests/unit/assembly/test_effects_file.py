"""Effects that a person declared for tools of others."""

from pathlib import Path

import pytest

from hilt.assembly.effects_file import read_effects_file
from hilt.errors import ConfigError
from tests.unit.audit.making import declaration

GOOD = """
[effects."mail.send"]
reads = "none"
brings = "own"
does = ["send"]
roles = { to = "destination" }
also = { to = "send" }
origins = { "*.id" = "service" }
verbs = ["send"]
irreversible = true
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "effects.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_declared_effects_are_read_for_the_tool_they_name(tmp_path: Path) -> None:
    declared = read_effects_file(written(tmp_path, GOOD))
    effects = declared.of("mail", declaration("send", to="who"))

    assert effects is not None
    assert (effects.reads, effects.does, effects.irreversible) == ("none", {"send"}, True)
    assert dict(effects.roles) == {"to": "destination"}
    assert dict(effects.origins) == {"*.id": "service"}
    assert declared.of("mail", declaration("other")) is None
    assert declared.of("post", declaration("send")) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[effect."a.b"]\n', "no key is named effect; did you mean effects?"),
        ('[effects."a.b"]\nread = "none"\n', 'no key is named effects."a.b".read; did you mean reads?'),
        ('[effects."a.b"]\nzzz = 1\n', "no key is named"),
        ("[effects.a.b]\nreads = 'none'\n", "is no table of effects; quote the key"),
        ("effects = 1\n", "effects is no table"),
        ("[effects]\na = 1\n", "is no table of effects"),
        ('[effects."a.b"]\nreads = 1\n', "reads = 1; write a text"),
        ('[effects."a.b"]\ndoes = [1]\n', "write a list of texts"),
        ('[effects."a.b"]\nundoable = "yes"\n', "write true or false"),
        ('[effects."a.b"]\nroles = ["x"]\n', "write a table of texts"),
        ("effects = [", "is not TOML"),
    ],
)
def test_a_file_that_says_something_nobody_knows_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_effects_file(written(tmp_path, text))

    assert says in str(error.value)
    assert "effects.toml" in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[effects."mail.send"]\ndoes = ["wreck"]\n', "wreck"),
        ('[effects."mail.send"]\nroles = { whom = "destination" }\n', "whom"),
        ('[effects."mail.send"]\nreads = "all"\n', "all"),
    ],
)
def test_what_does_not_fit_the_tool_is_refused_when_the_tool_is_known(tmp_path: Path, text: str, says: str) -> None:
    declared = read_effects_file(written(tmp_path, text))

    with pytest.raises(ConfigError, match=says):
        declared.of("mail", declaration("send", to="who"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_effects_file(tmp_path / "none.toml")
