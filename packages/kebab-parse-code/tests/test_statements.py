"""The lines in which statements of long units begin."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock
from kebab_parse_code import LANGUAGES

LONG = "x" * 800
SOURCES = {
    "c": f"""\
int f(int a) {{  // {LONG}
  switch (a) {{
    case 1:
      x();
  }}
  if (a) {{
    y();
  }} else {{
    z();
  }}
}}
""",
    "cpp": f"""\
int A::f(int a) {{  // {LONG}
  for (auto& b : a) {{
    x(b);
  }}
  try {{
    y();
  }} catch (E&) {{
    z();
  }}
}}
""",
    "go": f"""\
func f() {{ // {LONG}
	switch x {{
	case 1:
		a()
	}}
	if x {{
		b()
	}} else {{
		c()
	}}
}}
""",
    "java": f"""\
class A {{
  void f() {{ // {LONG}
    switch (a) {{
      case 1:
        x();
    }}
    try {{
      y();
    }} finally {{
      z();
    }}
  }}
}}
""",
    "javascript": f"""\
function f() {{ // {LONG}
  const o = {{
    a: 1,
  }};
  if (o) {{
    x();
  }} else {{
    y();
  }}
}}
""",
    "kotlin": f"""\
fun f() {{ // {LONG}
  when (x) {{
    1 -> a()
  }}
  try {{
    b()
  }} finally {{
    c()
  }}
}}
""",
    "python": f"""\
def f():  # {LONG}
    if x:
        a()
    else:
        b()
    # remark
    y = [
        1,
    ]
""",
    "rust": f"""\
fn f() {{ // {LONG}
    match x {{
        1 => a(),
    }}
    if x {{
        b();
    }} else {{
        c();
    }}
}}
""",
    "typescript": f"""\
interface I {{ // {LONG}
  /** remark */
  a: string;
  m(
    x: number,
  ): void;
}}
""",
}
STATEMENTS = {
    "c": "2 6 | 3 7 9 | 4",
    "cpp": "2 5 | 3 6 8",
    "go": "2 6 | 3 7 9 | 4",
    "java": "3 7 | 4 8 10 | 5",
    "javascript": "2 5 | 3 6 8",
    "kotlin": "2 5 | 3 6 8",
    "python": "2 6 | 3 5 8",
    "rust": "2 5 | 3 6 8",
    "typescript": "2 4",
}


def statements(document: CanonicalDocument) -> str:
    (found,) = (
        block.statements for block in document.blocks if isinstance(block, CodeBlock) and block.statements
    )
    return " | ".join(" ".join(map(str, lines)) for lines in found)


@pytest.mark.parametrize("lang", SOURCES)
def test_a_long_definition_tells_where_its_statements_begin_with_the_comments_above_them(
    read: Callable[..., CanonicalDocument], lang: str
) -> None:
    assert statements(read(lang, SOURCES[lang])) == STATEMENTS[lang]


def test_there_is_a_sample_of_each_language() -> None:
    assert set(SOURCES) == set(LANGUAGES)


def test_a_short_definition_tells_nothing(read: Callable[..., CanonicalDocument]) -> None:
    (block,) = read("python", "def f():\n    a()\n    b()\n").blocks
    assert isinstance(block, CodeBlock)
    assert block.statements is None
    assert "statements" not in block.model_dump()
