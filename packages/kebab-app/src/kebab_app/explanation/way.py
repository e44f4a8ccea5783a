"""The way of one file, step by step, as it is found out."""

from __future__ import annotations

from dataclasses import dataclass, field

from kebab_wire import WhyStepName, WhyStepV1, WhyVerdict


@dataclass
class Way:
    """Steps in their order, and the first that stopped the file."""

    steps: list[WhyStepV1] = field(default_factory=list)
    verdict: WhyVerdict | None = None
    """None while nothing has stopped it."""

    @property
    def end(self) -> WhyStepV1 | None:
        """The step that stopped the file, else the first that something is to be said of."""
        stops = [step for step in self.steps if step.state == "stop"]
        notes = [step for step in self.steps if step.state == "note"]
        return next(iter([*stops, *notes]), None)

    def go_on(self, name: WhyStepName, detail: str) -> None:
        """Note a step that went well."""
        self.steps.append(WhyStepV1(name=name, state="ok", detail=detail))

    def remark(self, name: WhyStepName, detail: str, *, fix: str | None = None) -> None:
        """Note a step that the file passed, though something is to be said of it."""
        self.steps.append(WhyStepV1(name=name, state="note", detail=detail, fix=fix))

    def stop(self, verdict: WhyVerdict, name: WhyStepName, detail: str, *, fix: str | None = None) -> None:
        """Note a step that the file did not pass."""
        self.verdict = self.verdict or verdict
        self.steps.append(WhyStepV1(name=name, state="stop", detail=detail, fix=fix))
