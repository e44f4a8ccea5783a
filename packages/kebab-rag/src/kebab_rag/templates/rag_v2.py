"""`rag-v2`: `rag-v1`, and facts are quoted, nothing is added from memory, doubts are named. In Korean."""

from __future__ import annotations

from kebab_core import PromptTemplateVersion

from kebab_rag.templates.rag_v1 import RAG_V1
from kebab_rag.templates.template import PromptTemplate, Wording

_KO = Wording(
    rules=f"""\
{RAG_V1.ko.rules}
- 숫자, 날짜, 이름처럼 사실을 전할 때는 [근거]에 있는 표현을 바꾸지 말고 큰따옴표로 옮긴 다음 바로 뒤에 [#번호]를 단다.
- 배워서 알고 있는 지식은 쓰지 않는다. [근거]에 없는 내용을 보태지 않는다.
- [근거]가 뚜렷하지 않은 부분은 "확실하지 않다"라고 밝힌다.""",
    question=RAG_V1.ko.question,
    evidence=RAG_V1.ko.evidence,
)

RAG_V2 = PromptTemplate(version=PromptTemplateVersion("rag-v2"), ko=_KO, en=_KO)
