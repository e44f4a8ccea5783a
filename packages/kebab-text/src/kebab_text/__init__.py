"""Pure functions on text: folding, scripts, grapheme clusters, sentences, inverse document frequency; dates, times and languages as people type them.

Knows no document, no index and no settings; every package above the core may use it.

    >>> from kebab_text import split_sentences
    >>> text = "Dr. Kim wrote v1.2.3. 색인은 매일 만든다."
    >>> [text[part.start : part.end] for part in split_sentences(text)]
    ['Dr. Kim wrote v1.2.3.', '색인은 매일 만든다.']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_text.amounts import (
        AmountMention as AmountMention,
        find_amounts as find_amounts,
        read_amount as read_amount,
        spell_amounts as spell_amounts,
    )
    from kebab_text.dates import (
        DateMention as DateMention,
        find_dates as find_dates,
        replace_dates as replace_dates,
        spell_dates as spell_dates,
    )
    from kebab_text.folding import (
        FoldedText as FoldedText,
        fold as fold,
        fold_case as fold_case,
        fold_forms as fold_forms,
        fold_text as fold_text,
        lower_case as lower_case,
    )
    from kebab_text.graphemes import (
        cut_after as cut_after,
        cut_before as cut_before,
        escape_unseen as escape_unseen,
        is_grapheme_boundary as is_grapheme_boundary,
        visible as visible,
    )
    from kebab_text.keystrokes import list_keys as list_keys, shared_beginnings as shared_beginnings
    from kebab_text.language_detection import detect_language as detect_language
    from kebab_text.lines import (
        ITEM_MARKER as ITEM_MARKER,
        LabelField as LabelField,
        SentenceKind as SentenceKind,
        find_label_fields as find_label_fields,
        holds_only_labels as holds_only_labels,
        split_lines as split_lines,
    )
    from kebab_text.loanwords import (
        latin_initials as latin_initials,
        sound_likenesses as sound_likenesses,
    )
    from kebab_text.scripts import (
        HAN as HAN,
        HANGUL as HANGUL,
        HANGUL_CHAR as HANGUL_CHAR,
        KANA as KANA,
        Script as Script,
        find_language_code as find_language_code,
        has_hangul as has_hangul,
        initials_of as initials_of,
        is_initials as is_initials,
        is_korean as is_korean,
        language_names as language_names,
        script_of_language as script_of_language,
        script_of_text as script_of_text,
    )
    from kebab_text.sentences import (
        ENTRY as ENTRY,
        MESSAGE as MESSAGE,
        Sentence as Sentence,
        split_sentences as split_sentences,
    )
    from kebab_text.source_code import (
        find_identifiers as find_identifiers,
        is_generated as is_generated,
        is_generated_name as is_generated_name,
    )
    from kebab_text.spelling import (
        edit_distance as edit_distance,
        near_beginnings as near_beginnings,
        near_spellings as near_spellings,
    )
    from kebab_text.times import find_time_word as find_time_word, parse_time as parse_time
    from kebab_text.word_weights import (
        FTS5_LEAST_IDF as FTS5_LEAST_IDF,
        PIECE_FILE as PIECE_FILE,
        fts5_idf as fts5_idf,
        inverse_document_frequency as inverse_document_frequency,
        log_probability as log_probability,
        split_words as split_words,
        whole_texts as whole_texts,
    )


__getattr__, __dir__ = lazy_exports(__name__)
