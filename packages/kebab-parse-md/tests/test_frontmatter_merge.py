"""What is written into front matter is read back, and nothing of the text is lost."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_parse_md import add_front_matter, has_body
from kebab_parse_md.frontmatter import split_front_matter
from kebab_parse_md.frontmatter_syntax import dump_yaml, parse_yaml
from kebab_testing.tables import walk

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SCALARS = st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.floats(-1e9, 1e9, width=32) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def body_below(text: str) -> str:
    return "\n".join(text.split("\n")[split_front_matter(text).line_count :])


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_any_json_object_is_read_back_as_written(values: dict[str, object]) -> None:
    written = dump_yaml(values)  # type: ignore[arg-type]  # JSON values
    assert parse_yaml(written) == values
    framed = split_front_matter(f"---\n{written}---\n# below\n")
    assert (framed.values, framed.warnings) == (values, ())


@given(TEXTS)
def test_any_title_is_read_back_as_written(title: str) -> None:
    assert split_front_matter(add_front_matter("body", {"title": title})).values == {"title": title}


@given(TEXTS, TEXTS)
def test_text_without_front_matter_is_the_body_whole(body: str, title: str) -> None:
    lines = body.replace("\r\n", "\n").replace("\r", "\n")
    assert body_below(add_front_matter(body, {"title": title})) == lines


@walk("title", ["No", "+.5", "1e3", "2024-05-01", "12:30", "~", "# 제목", "a: b", "'", '"', "- x"])
def test_title_that_yaml_could_take_for_something_else_stays_a_text(title: str) -> None:
    assert split_front_matter(add_front_matter("body", {"title": title})).values == {"title": title}


@walk(
    "front",
    [
        "---\ntags: [검색, 색인]\ndate: 2024-05-01\n---\n",
        '+++\ntags = ["검색", "색인"]\ndate = 2024-05-01\n+++\n',
    ],
)
def test_keys_of_the_text_stay_below_the_given_ones(front: str) -> None:
    merged = split_front_matter(add_front_matter(f"{front}# 본문\n", {"title": "제목"}))
    assert list(merged.values.items()) == [
        ("title", "제목"),
        ("tags", ["검색", "색인"]),
        ("date", "2024-05-01"),
    ]


def test_another_value_under_a_given_key_stays_under_a_name_of_its_own() -> None:
    text = "---\ntitle: Old\noriginal_title: Oldest\n---\nbody"
    assert split_front_matter(add_front_matter(text, {"title": "New"})).values == {
        "title": "New",
        "original_original_title": "Old",
        "original_title": "Oldest",
    }


@walk("same", ["T", "", "~"])
def test_equal_or_empty_value_under_a_given_key_leaves_nothing_behind(same: str) -> None:
    merged = add_front_matter(f"---\ntitle: {same}\n---\nbody", {"title": "T"})
    assert split_front_matter(merged).values == {"title": "T"}


@walk(
    "text",
    ["---\ntitle: [broken\n---\nbody", "---\nprose between rules\n---\nbody", "---\n- a\n- b\n---\nbody"],
)
def test_what_is_no_readable_front_matter_stays_in_the_body(text: str) -> None:
    merged = add_front_matter(text, {"title": "T"})
    assert split_front_matter(merged).values == {"title": "T"}
    assert body_below(merged) == text


def test_merging_again_changes_nothing() -> None:
    once = add_front_matter(
        "---\r\ntags: [a]\r\n---\r\nbody\r\n", {"title": "T", "source_uri": "https://x.test/?a=1"}
    )
    assert add_front_matter(once, {"title": "T", "source_uri": "https://x.test/?a=1"}) == once


@walk(("text", "expected"), [("", False), (" \n", False), ("---\na: b\n---\n\n", False), ("x", True)])
def test_body_is_what_stands_below_front_matter(text: str, *, expected: bool) -> None:
    assert has_body(text) is expected


def test_merge_keys_take_the_values_of_anchors_and_own_keys_win() -> None:
    text = "base: &base\n  author: Kim\n  lang: ko\n<<: *base\nlang: en\nmark: <<\n"
    values = parse_yaml(text)
    assert values == {"base": {"author": "Kim", "lang": "ko"}, "author": "Kim", "lang": "en", "mark": "<<"}


def test_merges_of_merges_stay_small() -> None:
    steps = (f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}\n" for n in range(1, 45))
    values = parse_yaml("a0: &a0 {k0: 1}\n" + "".join(steps))
    assert values is not None
    last = values["a44"]
    assert isinstance(last, dict)
    assert len(last) == 45


@walk(
    ("text", "reason"),
    [
        ("---\ntitle: a\nbad: b: c\nmore: 1\n---\n", "line 3, column 7 cannot be read as YAML"),
        ("---\nbase: &b {x: 1}\nbad: *b : [\nmore: 1\n---\n", "line 3, column 9 cannot be read as YAML"),
        ("---\ntitle: [\n---\n", "line 3, column 1 cannot be read as YAML"),
        ("+++\ntitle = 'a'\nbad = = 2\n+++\n", "line 3, column 7 cannot be read as TOML"),
        ("---\na: \x01\nb: 2\n---\n", "a value of it cannot be read as YAML"),
    ],
)
def test_front_matter_that_cannot_be_read_is_told_by_line_and_column(text: str, reason: str) -> None:
    (warning,) = split_front_matter(text).warnings
    assert warning.endswith(reason)
