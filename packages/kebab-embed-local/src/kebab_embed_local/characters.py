"""Normalises text before it is cut into pieces, as SentencePiece's rules for the model say.

What a reader sees as one character can be several code points, and then a short one is replaced as a whole or not at all:
a rule of the library `tokenizers`, which the model is used with everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby

_SHORT_BYTES = 6
"""Characters of fewer bytes are replaced as a whole."""

_JOINER = "\u200d"
_SPACES = re.compile(" {2,}")


class Characters:
    """The table of replacements, and which code points belong together."""

    def __init__(self, replacements: str, classes: Sequence[str]) -> None:
        """Take the table apart.

        Args:
            replacements: By turns a sequence and what it is replaced by, separated by zero characters.
            classes: The code points that extend others, spacing marks, those that precede others, consonants,
                their linkers, pictographs, and controls (Unicode Standard Annex 29).

        Raises:
            ValueError: There are more sequences than replacements, or other classes.
        """
        parts = replacements.split("\0")
        self._sequences = dict(zip(parts[::2], parts[1::2], strict=True))
        self._single = {ord(key): value for key, value in self._sequences.items() if len(key) == 1}
        self._extend, self._spacing, self._prepend, *self._others = classes
        self._consonant, self._linker, self._pictograph, self._control = self._others
        self._joining = frozenset(self._extend + self._spacing + self._prepend)

    def normalize(self, text: str) -> str:
        """Return the text as the model's tokenizer reads it, several spaces made one."""
        if self._joining.isdisjoint(text):
            replaced = text.translate(self._single)
        else:
            replaced = self._clusters.sub(lambda found: self._replace(found[0]), text)
        return _SPACES.sub(" ", replaced)

    def _replace(self, cluster: str) -> str:
        if len(cluster) > 1 and len(cluster.encode("utf-8")) < _SHORT_BYTES:
            for end in range(1, len(cluster) + 1):
                # the shortest entry wins, and what follows it in the cluster is lost with it
                known = self._sequences.get(cluster[:end])
                if known is not None:
                    return known
        return cluster.translate(self._single)

    @cached_property
    def _clusters(self) -> re.Pattern[str]:
        extend, consonant, pictograph = map(_class, (self._extend, self._consonant, self._pictograph))
        extend_only = _class(self._extend.replace(_JOINER, ""))
        linked = f"[{consonant}](?:[{extend}]*[{_class(self._linker)}][{extend}]*[{consonant}])*"
        joined = f"[{pictograph}](?:[{extend_only}]*{_JOINER}[{pictograph}])*"
        control = _class(self._control)
        attached = f"[{extend}{_class(self._spacing)}]*"
        before = f"[{_class(self._prepend)}]*"
        return re.compile(f"{before}(?:{linked}|{joined}|[^{control}]){attached}|[{control}]", re.DOTALL)


def _class(characters: str) -> str:
    """Return the inside of a class of a pattern."""
    codes = sorted(map(ord, characters))
    runs = [[code for _, code in run] for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0])]
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)
