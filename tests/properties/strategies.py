"""JSON values and texts of every kind that has broken a tool layer."""

from hypothesis import strategies as st

HOSTILE = (
    "“curly”", "‘x’", "\u00a0", "\u200d", "\ufeff", "e\u0301", "\u00e9", "\r\n", "\r", "\t", "$&", "\\1", "\\g<0>",
    "$$", "null", "true", "12345", '{"k":1}', "[1, 2]", '"quoted"', "NaN", "", " ", "\u2028", "\u0000", "\u001b[31m",
    "🦊", "中", "\u202e", "%s", "{x}", "`", "\\", "/", "0x10", "1e3", "-0", "\U0010ffff",
)  # fmt: skip
texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    st.lists(st.sampled_from(HOSTILE), max_size=6).map("".join),
)
integers = st.one_of(st.integers(), st.sampled_from((2**53 + 1, 2**63, -(2**63) - 1, 2**64 + 1, 10**300)))
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(st.none(), st.booleans(), integers, floats, texts)
values = st.recursive(
    scalars, lambda below: st.lists(below, max_size=4) | st.dictionaries(texts, below, max_size=4), max_leaves=20
)
