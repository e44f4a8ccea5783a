"""Precision of the bundled model's matrix products, chosen by the instruction sets of the CPU."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from kebab_core import ConfigInvalidError, EmbeddingIdentity, EmbeddingVersion, Remedy

Precision = Literal["int8", "fp32"]

VNNI = frozenset({"avx512_vnni", "avx_vnni"})
"""Instruction sets that sum products of 8 bits in 32 bits, by their names in Linux.

Measured with both (2026-11): int8 is 1.5 to 2.5 times as fast as fp32 and its vectors have a cosine of .9988 with them
or more. AVX2 without them sums in 16 bits, which overflow: cosines down to .995. ARM: not measured.
"""

_INT8_SUFFIX = "-int8"
"""Of the version of a model that is computed in int8."""
_CPUINFO = Path("/proc/cpuinfo")


def cpu_flags(cpuinfo: Path = _CPUINFO) -> frozenset[str]:
    """Instruction sets of the CPU; none where the system is not Linux or the CPU not x86.

    Args:
        cpuinfo: The file by which Linux describes its CPUs.
    """
    with suppress(OSError), cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == "flags":
                return frozenset(value.split())
    return frozenset()


def choose_precision(wanted: Literal["auto", "int8", "fp32"], flags: frozenset[str]) -> Precision:
    """Precision of a setting on a CPU; `auto` is int8 where it was measured to be faster and as good.

    Args:
        wanted: The setting.
        flags: Instruction sets of the CPU; none if they are not known.

    Raises:
        ConfigInvalidError: The setting is int8, and its sums overflow on this CPU.
    """
    if wanted == "int8" and flags and not flags & VNNI:
        raise ConfigInvalidError(
            "models.embedding.precision is int8, but this CPU has no VNNI, without which its sums overflow",
            remedy=Remedy(kind="set", setting="models.embedding.precision", value="auto"),
            key="models.embedding.precision",
        )
    if wanted == "auto":
        return "int8" if flags & VNNI else "fp32"
    return wanted


def identity_in(precision: Precision | None, identity: EmbeddingIdentity) -> EmbeddingIdentity:
    """Identity of a model whose weights have this identity, in a precision; that of the weights unless it is int8.

    Passages in int8 and in fp32 are not searched together: nDCG@10 changed by up to .009 (2026-11-23, decision 0021).
    """
    version = f"{identity.model_version}{_INT8_SUFFIX if precision == 'int8' else ''}"
    return identity.model_copy(update={"model_version": EmbeddingVersion(version)})


def precision_of(identity: EmbeddingIdentity) -> Precision:
    """Precision of the vectors of the bundled model."""
    return "int8" if identity.model_version.endswith(_INT8_SUFFIX) else "fp32"


def have_same_weights(one: EmbeddingIdentity, other: EmbeddingIdentity) -> bool:
    """Tell whether two models differ in precision at most.

    Queries of one may search passages of the other: int8 queries over fp32 passages changed nDCG@10 by up to .0022.
    """
    versions = (each.model_version.removesuffix(_INT8_SUFFIX) for each in (one, other))
    return len(set(versions)) == 1 and one == other.model_copy(update={"model_version": one.model_version})
