"""Values that are hard to write as YAML."""

from hypothesis import strategies as st

LOOK_ALIKE = (
    *(
        "y",
        "no",
        "On",
        "08",
        "0o17",
        "0b1",
        "0x1f",
        "1_000",
        "1e3",
        "8350e12",
        ".5",
        "5.",
        "+1",
        ".inf",
        ".NaN",
        "~",
        "",
    ),
    *(
        "null",
        "12:30:00",
        "2001-01-01",
        "=",
        "<<",
        "1,000",
        "- a",
        "a: b",
        "#c",
        "a #b",
        "*a",
        "&b",
        "!c",
        "%d",
        "@e",
    ),
    *(
        "{",
        "[a",
        "|",
        ">",
        "?",
        "---",
        "...",
        "a\nb\n",
        "if a:\nthen\n",
        "a\n\n b\n\n",
        "\na",
        " a",
        "a ",
        "\t",
        '"q"',
    ),
    *(
        "it's",
        "\u2028",
        "\x85",
        "\x00",
        "😀",
        "\ufeff",
        "word " * 40,
        "a\n",
        "\n",
        "a\n\n",
        "\n a",
        " a\nb",
        "a \nb",
        "a\r\nb",
        "\ta\nb",
    ),
)
_TEXTS = st.sampled_from(LOOK_ALIKE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(-1e9, 1e9) | _TEXTS
_KEYS = st.sampled_from(["a", "b", "name", "spec", "y", "1", "x-y", "k k", "é", "<<"]) | _TEXTS
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)
MAPS = st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4)
DOCUMENTS = st.lists(MAPS, min_size=1, max_size=2)
