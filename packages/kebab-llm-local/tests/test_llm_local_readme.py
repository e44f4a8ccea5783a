import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_example_of_the_readme_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})  # noqa: S102
