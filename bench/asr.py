"""How well and how fast speech is heard: recordings with what is said in them, by the engine of the extra.

    python bench/asr.py FOLDER [LANGUAGE]     # recordings with truth.json: per file `segments` of [start, end, words], none for silence

Run it where `kebab-cli[audio]` is installed (`.ci/audio` makes such an environment). Word error is that of Levenshtein over words without
case and punctuation; starts are compared with the nearest segment that was heard. The targets are those of a reading by a human.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from pathlib import Path
from typing import Any

from kebab_asr import SAMPLE_RATE, WhisperTranscriber, decode_part
from kebab_model_whisper_base import files, manifest

MAX_WORD_ERROR, MAX_START_S, MAX_CPU, MAX_SILENCE_CPU, MAX_MB = 0.05, 1.0, 0.35, 0.05, 500


def words(text: str) -> list[str]:
    text = text.lower().replace("mr.", "mister").replace("-", " ")
    return re.findall(r"\w+", text)


def distance(one: list[str], other: list[str]) -> int:
    """Least number of words to insert, delete or replace."""
    row = list(range(len(other) + 1))
    for at, word in enumerate(one, 1):
        before, row[0] = row[0], at
        for n, found in enumerate(other, 1):
            before, row[n] = row[n], min(row[n] + 1, row[n - 1] + 1, before + (word != found))
    return row[-1]


def measure(transcriber: WhisperTranscriber, path: Path, truth: dict[str, Any]) -> bool:
    content = path.read_bytes()
    seconds = len(decode_part(content, 1).samples) / SAMPLE_RATE
    started = time.process_time()
    heard = transcriber.transcribe(content, 1)
    cpu = (time.process_time() - started) / seconds
    said = [(start, words(text)) for start, _, text in truth.get("segments", [])]
    expected = [word for _, each in said for word in each]
    found = words(" ".join(each.text for each in heard.segments))
    error = distance(expected, found) / len(expected) if expected else float(len(found))
    starts = [
        min((abs(each.start_ms / 1000 - at) for each in heard.segments), default=99.0) for at, _ in said
    ]
    print(
        f"{path.name}: {seconds:.1f} s, language {heard.language}, word error {error:.3f}, "
        f"starts within {max(starts, default=0.0):.1f} s, {cpu:.3f} CPU s a second"
    )
    limit = MAX_CPU if expected else MAX_SILENCE_CPU
    return (
        error <= (MAX_WORD_ERROR if expected else 0)
        and max(starts, default=0.0) <= MAX_START_S
        and cpu <= limit
    )


def main() -> None:
    folder, (language, *_) = Path(sys.argv[1]), [*sys.argv[2:], ""]
    transcriber = WhisperTranscriber(files(), manifest()["files"], language=language)
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    first = next(iter(truth))
    transcriber.transcribe((folder / first).read_bytes(), 1)  # loads the model
    results = {name: measure(transcriber, folder / name, each) for name, each in truth.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory {peak} MB (at most {MAX_MB})")
    print("within the targets: " + ", ".join(name for name, good in results.items() if good))


if __name__ == "__main__":
    main()
