"""Words that end in a full stop which need not end the sentence."""

from __future__ import annotations

_NEVER_LAST = """
    dr mr mrs ms messrs prof st gen col lt capt cpt sgt maj cmdr rev hon gov sen rep pres supt mt ft
    vs v cf e.g i.e eg ie al viz namely approx appr est incl excl resp esp ca c b d r fl lit ed eds trans orig abbr
    fig figs eq eqs sec secs ch chap vol vols no nos nr pp p para art ver rev max min avg temp dept univ assn bros
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri
"""
NEVER_LAST = frozenset(_NEVER_LAST.split())
"""Those that point at what follows."""

_BEFORE_NUMBERS = """
    no nos nr fig figs eq eqs sec secs ch chap vol vols pp p para art ver v max min est mar c b d r
"""
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS.split())
"""Those of them that do so before a number; before anything else some are ordinary words or initials."""

_MAYBE_LAST = """
    etc inc ltd co corp jr sr ph.d m.d b.a m.a b.c a.d a.m p.m u.s u.k u.n e.u d.c bc ad ave blvd rd
    km kg cm mm lb lbs oz hr hrs
"""
MAYBE_LAST = frozenset(_MAYBE_LAST.split())
"""Those that end a sentence where a typical first word follows."""

_STARTERS = """
    a an the this that these those there here it its he she they we i you his her their our my your one some many most
    all both each in on at by for from with without as after before during since until while when where if although
    though because however therefore moreover furthermore meanwhile then thus also but and or so yet not no to
    what who which why how such other another between among under over despite according today
"""
STARTERS = frozenset(_STARTERS.split())
"""Words that begin English sentences far more often than names."""
