"""How well and how fast speech is heard: recordings with what is said in them, by the engine of the extra.

    python bench/asr.py FOLDER [LANGUAGE]     # recordings with truth.json: per file `segments` of [start, end, words], none for silence
    python bench/asr.py FILE --minutes N      # a long recording of one that is repeated every minute

Run it where `kebab-cli[audio]` is installed (`.ci/audio` makes such an environment). Word error is that of Levenshtein over words without
case and punctuation; starts are compared with the nearest segment that was heard. The targets are those of a reading by a human.
With `--minutes`, a run over the long recording is killed (SIGKILL) while its second part is being heard, the next one is interrupted (SIGINT) after
its first part, and one more ends: parts that each has heard, the seconds until the interrupted one is gone, and the largest worker by parts.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import wave
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from kebab_asr import SAMPLE_RATE, WhisperTranscriber, decode_part
from kebab_core import count_parts
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
    content = BytesIO(path.read_bytes())
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


def write_long(source: Path, target: Path, minutes: int) -> None:
    """Write a recording of so many minutes, at the beginning of each of which the source is heard."""
    spoken = decode_part(BytesIO(source.read_bytes()), 1).samples[: 60 * SAMPLE_RATE]
    minute = np.zeros(60 * SAMPLE_RATE, dtype="<i2")
    minute[: len(spoken)] = spoken * 32_767
    with wave.open(str(target), "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(SAMPLE_RATE)
        for _ in range(minutes):
            made.writeframes(minute.tobytes())


def hear(home: Path, *, end_by: signal.Signals | None = None, after: int = 0) -> list[int]:
    """Run kebab over a folder; return the parts that it has heard, and print what that took.

    Args:
        home: Holds the settings.
        end_by: Signal to end the run by, a moment after so many parts.
        after: That number.
    """
    command = [sys.executable, "-m", "kebab_cli", "--config", str(home / "kebab.toml"), "--json", "ingest"]
    parts, peaks, spent_ms = list[int](), list[int](), 0
    sent = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={"HOME": str(home)}) as run:
        for line in run.stdout or ():
            event = json.loads(line)
            if event.get("kind") != "ocr_page_finished":
                continue
            parts.append(event["page"])
            spent_ms += event["ms"]
            peaks.append(max(map(peak_mb, list_descendants(run.pid)), default=0))
            if end_by is not None and len(parts) == after:
                threading.Event().wait(3)  # the next part is in hand
                run.send_signal(end_by)
                sent = time.monotonic()
    gone = f", gone {time.monotonic() - sent:.1f} s after {end_by.name}" if sent and end_by else ""
    shown = f"parts {sorted(parts)}, {spent_ms / 1000:.0f} CPU s{gone}"
    print(f"{shown}; largest process by parts, in MB: {peaks}", flush=True)
    return parts


def list_descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *list_descendants(child))]


def peak_mb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0
    return int((re.search(r"VmHWM:\s+(\d+)", status) or [0, 0])[1]) // 1024


def interrupt(source: Path, minutes: int) -> bool:
    """Hear a long recording in three runs, the first killed, the second interrupted; return whether each part was heard once."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "notes").mkdir()
        write_long(source, home / "notes" / "long.wav", minutes)
        (home / "kebab.toml").write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
        )
        heard = hear(home, end_by=signal.SIGKILL, after=1)
        heard += hear(home, end_by=signal.SIGINT, after=1)
        heard += hear(home)
    return sorted(heard) == list(range(1, count_parts(minutes * 60_000) + 1))


def main() -> None:
    if "--minutes" in sys.argv:
        print("each part was heard once:", interrupt(Path(sys.argv[1]), int(sys.argv[3])))
        return
    folder, (language, *_) = Path(sys.argv[1]), [*sys.argv[2:], ""]
    transcriber = WhisperTranscriber(files(), manifest()["files"], language=language)
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    first = next(iter(truth))
    transcriber.transcribe(BytesIO((folder / first).read_bytes()), 1)  # loads the model
    results = {name: measure(transcriber, folder / name, each) for name, each in truth.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory {peak} MB (at most {MAX_MB})")
    print("within the targets: " + ", ".join(name for name, good in results.items() if good))


if __name__ == "__main__":
    main()
