"""What prices, telephone numbers, dates and counts look like in running text; for verbose patterns.

Every repetition has an end, so that a page of digits takes no longer than a page of words.
"""

from __future__ import annotations

import re

_DIGITS = re.compile(r"\d+")
_NOT_MONEY = (
    r"\s?(?:년|월|일|시|분|초|주|개|명|번|건|살|세|층|호|도|kg|mg|g|km|cm|mm|m|ml|l|%|°|[KMGT]B|bar|ppm|퍼센트|그램|리터|킬로|컵|인분|포기"
    r"|st\b|nd\b|rd\b|th\b|(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|times|degrees?|people|percent|grams?|litres?"
    r"|liters?|eggs?|pages?|January|February|March|April|May|June|July|August|September|October|November|December)\b)"
)
MONEY = (
    r"(?:[$€£¥₩]|\b(?:USD|EUR|KRW|GBP)\b)\s?\d|\d[\d,.]{0,40}\s?(?:[만천백억]\s?){0,8}\s?(?:원|달러|유로|엔|위안|파운드)"
    r"|[만천백억]\s?원|[만천백억]\s{0,4}\d{0,40}\s{0,4}[만천백]?\s{0,4}원|무료|공짜"
    r"|\b(?:free|gratis|dollars?|euros?|pounds?|cents?|won)\b"
    rf"|(?<![\w.:/-])(?<!number\s)(?!(?:19|20)\d\d\b)\d[\d,]{{0,40}}(?:\.\d{{1,40}})?(?![\d,]{{0,40}}[-/:\d])(?!{_NOT_MONEY})(?![.,]?\w)"
)
PHONE = r"\+?\d{2,4}[-.)\s]{1,2}\d{3,4}(?:[-.\s]\d{3,4})?|내선\s?\d|\bext(?:ension|\.)?\s?\d|\d{7,}|\d{4}번"
_WORDS = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|dozen|hundred"
    r"|thousand|million|billion|half|quarter|both|none|no|several|single|once|twice)\b"
)
_KOREAN = r"(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰|반|몇|여러)\s?[가-힣]|하나|둘|셋|넷|절반|[일이삼사오육칠팔구십백천만억]\s?[명개원번도]"
NUMBER = rf"\d|{_WORDS}|{_KOREAN}"
QUANTITY = rf"\d[\d,.]{{0,40}}(?![\d,.]{{0,40}}\s?(?:일|월|년|시)(?![가-힣]*간))|{_WORDS}|{_KOREAN}|[만천백]\s?원|무료"
_MONTHS = r"January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_CLOCK = r"\d{1,2}[:.h]\d\d(?!\d)|\d{1,2}\s?(?:[ap]\.?m\b|o'clock)|\b(?:at|by|until|till|from|to|around|before|after)\s+\d{1,2}(?![\d.,]{0,40}\s?(?:%|\w))"
_CALENDAR = (
    r"\d\s*(?:년|월|일|시|분|초|주|달|개월|세기)|(?<![\d.,])(?:1\d|20)\d\d(?![\d%]|[.,]\d{3}|\s?(?:[원명개]|달러|[km]m\b|[kmg]\b|kg\b|euros?\b|dollars?\b|people\b))"
    r"|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?![\d%])|\d(?:st|nd|rd|th)\b|\d{1,40}\s*(?:AD|BCE?|CE|B\.C|A\.D)\b"
    r"|\b(?:in|since|of|circa|c\.)\s+\d{3,4}\b|\d{1,40}\s*(?:hour|minute|day|week|month|year|quarter)"
)
DATE = (
    rf"{_CALENDAR}|{_CLOCK}"
    rf"|\b(?:{_MONTHS}|{_DAYS})\b|\b(?:centur|decade|yesterday|today|tomorrow|night|morning|noon|evening|afternoon|week|month|year"
    r"|spring|summer|autumn|fall|winter|ago|age|era|period|war|when|as\s+soon|on\s+the\s+day"
    r"|(?:before|after|during|since|until)\s+(?:the\s+)?(?-i:[A-Z]))"
)
TIME = (
    rf"{DATE}|\b(?:at|by|around|till)\s+(?:half|quarter|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|[년월일시분주달]|요일|아침|점심|저녁|새벽|밤|낮|오전|오후|정오|자정|하루|이틀|사흘|나흘|주말|평일|봄|여름|가을|겨울|오늘|내일|어제|지금"
    r"|마지막|처음|먼저|나중|다음|[전후뒤때면](?![가-힣]{2})|동안|까지|부터|마다|예정|항상|즉시|바로|직후|매번|세기|시대|초기|말기"
    r"|\b(?:now|day|hour|minute|second|midnight|weekend|while|once|every|at\s+the\s+end|first|last|always|immediately|then|early|late"
    r"|if|before|after|during|since|until|daily|weekly|monthly|yearly|never|only)"
)

FREQUENCY = (
    r"매[일주달년월분번]|마다|[한두세네]\s?번|\d\s*[번회]|주기|자주|가끔|항상|격[주월일]|요일|수시"
    r"|\b(?:every|each|daily|weekly|monthly|yearly|hourly|nightly|annual\w*|quarterly|once|twice|times|per|always|never|often|rarely|seldom"
    rf"|on\s+{_DAYS}s)\b"
)
WEEKDAY = rf"요일|(?<![가-힣])[월화수목금토일](?=[,·\s|]|$)|주말|평일|매일|\b{_DAYS}s?\b|\b(?:weekend|weekday|daily|every\s+day)"
MEASURE = (
    r"\d[\d,.]{0,40}\s?(?:m2|m²|m3|m³|[km]m|cm|m|kg|g|t|[KMGT]B|kWh|W|V|%|°|feet|foot|ft|inch\w*|miles?|square|met\w+|kilo\w+|lit\w+"
    r"|hours?|minutes?|days?|weeks?|months?|years?|people|pages?|tons?|acres?|hectares?|thousand|million|billion|평|미터|킬로|살|세|년)\b"
    rf"|{_WORDS}"
)
IDENTIFIER = r"(?<!\d)\d{2,}+(?!,[\d,]{0,40}\s?[년월일시분원]|\s?[년월일시분원])|[A-Z]{1,40}-?\d"
DURATION = (
    rf"{NUMBER}|\b(?:an?\s+(?:hour|minute|day|week|month|year|century|decade)|overnight|until|till|all\s+(?:day|night)|forever|always|while)\b"
    r"|하루|이틀|사흘|나흘|밤새|종일|까지|동안|평생|[년월주분초]"
)
_DID = r"(?:[a-z]+(?:s|ed)|wrote|built|made|won|led|sold|bought|sent|began|found|held|took|gave|came|went|said|became|ran|did|had|will)"
WHO = (
    rf"(?<![.!?:] )(?<![-*+] )(?<!^)(?<!\n)\b[A-Z][a-z]+|^[A-Z]\w+(?=[ ][A-Z]|[,:])|^[A-Z]\w+(?=[ ]{_DID}\b)"
    r"|\b[Bb]y[ ](?:the|an?|my|our)[ ]\w+|^(?:The|My|Our|An?|His|Her|Their)[ ][a-z]+(?:er|or|ist|man|woman|ian|ant|ent|ee)\b"
    r"|\b(?:president|king|queen|emperor|minister|government|parliament|congress|council|court|committee|team|company|army"
    r"|people|members?|citizens?|voters?|men|women|everyone|nobody|anyone|I|we)\b"
)
SUBJECT_KO = r"[가-힣A-Za-z]{1,40}(?:이|가|은|는|께서|에서)(?=[\s,])|[가-힣]\s?(?:님|씨|팀)(?![가-힣]{2})|[:：|(]\s*[가-힣A-Za-z]{2,}|에\s?의해"
PLACE_KO = (
    r"에서|에\s|장소|위치|지역|[가-힣](?:으로|로)\s|[가-힣](?:시|도|구|군|동|역|층|실|관|원|점|장|집|국|주|산|강|섬|성|궁|앞|뒤|옆|위|아래|안|밖|근처|길)(?![가-힣]{2})"
    r"|[~/]\w|주소|[A-Za-z]"
)
PLACE = r"\b(?:in|at|on|under|near|inside|into|from|beside|behind|within|outside|below|above|between|along|across|around|here)\b|[/~]\w"
NOWHERE = (
    r"(?:없|있지\s?않)(?:다|음|습니다|어요|아요|는다|습니다)[.!]?\s*$"
    r"|(?m:^)(?!.*\bbut\b).*\b(?:is|are|was|were)(?:n't|\s+not|\s+no\s+longer)\s+(?:in|at|on|under|near|inside|here|there|kept|stored)\b"
)


def digits(text: str) -> list[str]:
    """Return the runs of digits in a text, in order."""
    return _DIGITS.findall(text)


def count_of(unit: str) -> str:
    """Return a pattern for so many of a Korean unit: `명`, `시`."""
    either = {
        "명": "(?:명|사람|인)",
        "그램": "(?:그램|g)",
        "도": "(?:도|°)",
        "시": "(?:시(?!간)|:\\d)",
        "미터": "(?:미터|m)",
        "기가": "(?:기가|GB)",
    }.get(unit, unit)
    tens = "열|스물|스무|서른|마흔|쉰"
    return (
        rf"\d[\d,.]{{0,40}}\s?[만천백억여]{{0,8}}\s?{either}|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|몇|여러|수[십백천만])\s?{either}|(?:{tens})\S{{0,2}}\s?{either}"
        rf"|[일이삼사오육칠팔구십백천만]\s?{either}"
    )
