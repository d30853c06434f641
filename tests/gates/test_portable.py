"""Nothing in the tree is about the machine it was written on."""

import subprocess
from pathlib import Path

from tests.gates.source import ROOT
from tests.needs import need

# Put together here, so that this file does not name what it looks for.
UNWANTED = (
    "/".join(("", "work", "")),
    "/".join(("", "opt", "pypi")),
    "/".join(("", "opt", "wheels")),
    ".".join(("pypi", "org")),
    ".".join(("files", "pythonhosted", "org")),
    ".".join(("registry", "npmjs", "org")),
    ".".join(("deb", "debian", "org")),
    ".".join(("static", "crates", "io")),
    ".".join(("proxy", "golang", "org")),
)


def test_no_file_names_a_path_of_a_machine_or_a_registry() -> None:
    need("git", "it says which files belong to the tree")

    assert [fault for path in tree() for fault in faults(path)] == []


def tree() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def faults(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [f"{path.relative_to(ROOT)} contains {unwanted}" for unwanted in UNWANTED if unwanted in text]
