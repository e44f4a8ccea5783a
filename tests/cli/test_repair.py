"""`kebab doctor --repair` as people and programs see it."""

from __future__ import annotations

import sqlite3


def damage_the_terms(kb) -> None:  # type: ignore[no-untyped-def]
    with sqlite3.connect(kb.data / "kebab.sqlite") as database:
        database.execute("UPDATE chunks_fts_data SET block = x'0001020304' WHERE id > 10")
    database.close()


def test_people_are_led_from_the_search_to_the_repair_and_back(quick) -> None:  # type: ignore[no-untyped-def]
    damage_the_terms(quick)

    searched = quick("search", "색인")
    assert (searched.code, searched.stderr.splitlines()[-1]) == (2, "hint: kebab doctor --repair")
    assert (quick("ingest").code, quick("doctor").code) == (0, 3)

    repaired = quick("doctor", "--repair")
    assert repaired.code == 0
    assert repaired.stdout.startswith("repaired: the full-text indexes were rebuilt from ")
    assert quick("search", "색인").code == 0
    assert "repaired" not in quick("doctor", "--repair").stdout


def test_programs_see_what_was_repaired(quick) -> None:  # type: ignore[no-untyped-def]
    damage_the_terms(quick)
    done = quick("doctor", "--repair", "--json")
    assert (done.code, done.last["ok"], len(done.last["repaired"])) == (0, True, 1)  # type: ignore[arg-type]
    assert "repaired" not in quick("doctor", "--json").last


def test_a_refused_repair_is_an_error_and_no_report(quick) -> None:  # type: ignore[no-untyped-def]
    damage_the_terms(quick)
    done = quick("doctor", "--repair", "--readonly", "--json")
    assert (done.code, done.stdout, done.error["code"]) == (2, "", "readonly_mode")
