"""A model that changes what a sentence says is mostly not believed, and one that only words it otherwise is."""

from __future__ import annotations

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import (
    Answer,
    GenerateRequest,
    RagSettings,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    TokenCounter,
)
from kebab_rag import AskRequest, PassageReader, RagPipeline
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.language_model import ReplyingModel, claims_reply
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER, COUNTER = KoreanEnglishAnalyzer(), TokenCounter()
CASES = (
    ("The cluster has 12 nodes and 48 disks.", "How many nodes does the cluster have?", ("The cluster has 12 nodes.", "The cluster has twelve nodes."), ("The cluster has 48 nodes.", "The cluster has 12 disks.", "The cluster has 120 nodes.", "The cluster has at least 12 nodes.", "The cluster has about 12 nodes.", "The cluster has fewer than 12 nodes.", "The cluster has more than 12 nodes.", "The cluster has 12 million nodes.", "The cluster has -12 nodes.", "The cluster has 12k nodes.", "The cluster has a dozen dozen nodes.", "The cluster has twenty-two nodes.", "The cluster has 12% nodes.")),
    ("The fee rose from 5 to 8 dollars in 2020.", "What is the fee?", ("The fee rose from 5 to 8 dollars.",), ("The fee fell from 5 to 8 dollars.", "The fee rose from 8 to 5 dollars.", "The fee is 5 dollars since 2020.", "The fee rose from 5 to 8 euros.", "The fee rose from $5 to €8.")),
    ("The rod is 5 m long.", "How long is the rod?", ("The rod is 5 m long.", "The rod is 5 metres long."), ("The rod is 5 mm long.", "The rod is 5 feet long.", "The rod is 5 inches long.", "The rod is 5 km long.", "The rod is 5 miles long.", "The rod is 5 light-years long.")),
    ("The job takes 30 minutes.", "How long does the job take?", ("The job takes 30 minutes.",), ("The job takes 30 hours.", "The job takes 30 fortnights.", "The job takes 30.5 minutes.", "The job takes 0.30 minutes.", "The job takes thirty seconds.", "The job takes half of 30 minutes.", "The job takes up to 30 minutes.")),
    ("The file has 3 GB.", "How large is the file?", ("The file has 3 GB.",), ("The file has 3 TB.", "The file has 3 Gbit.", "The file has 3 MB.")),
    ("Growth was 3.5 percent.", "How much was the growth?", ("Growth was 3.5%.",), ("Growth was 35%.", "Growth was -3.5%.", "Growth was minus 3.5%.", "Growth was 3.5 permille.", "Growth was 3.5 percentage points.")),
    ("The API supports uploads but not downloads.", "What does the API support?", ("The API supports uploads.",), ("The API supports downloads.", "The API does not support uploads.", "The API supports uploads and downloads.", "The API supports downloads but not uploads.")),
    ("Only admins can delete users.", "Who can delete users?", ("Only admins can delete users.",), ("All users can delete admins.", "Admins cannot delete users.", "Users can delete admins.", "Everyone but admins can delete users.", "Only users can delete admins.")),
    ("The feature is disabled by default.", "Is the feature enabled by default?", ("The feature is disabled by default.",), ("Yes, the feature is enabled by default.", "The feature is enabled by default.", "Yes, the feature is disabled.", "Yes.")),
    ("The test failed.", "Did the test pass?", ("The test failed.",), ("The test passed.", "Yes, the test passed.", "Yes, the test did pass.")),
    ("회의는 월요일에 열리지 않는다.", "회의는 언제 열리나?", ("회의는 월요일에 열리지 않는다.",), ("회의는 월요일에 열린다.", "회의는 화요일에 열린다.", "회의는 월요일마다 열린다.")),
    ("이 기능은 지원하지 않습니다.", "이 기능은 지원하나요?", ("이 기능은 지원하지 않습니다.",), ("이 기능은 지원합니다.", "네, 이 기능은 지원합니다.", "네.")),
    ("서버는 자동으로 재시작된다. 로그는 지워지지 않는다.", "서버가 재시작되면 로그는 어떻게 되나?", ("로그는 지워지지 않는다.",), ("로그는 지워진다.", "서버는 자동으로 재시작되지 않는다.", "로그는 자동으로 지워진다.")),
    ("Anna pays Bob.", "Who pays whom?", ("Anna pays Bob.",), ("Bob pays Anna.",)),
    ("민수가 영희에게 책을 줬다.", "누가 책을 줬나?", ("민수가 영희에게 책을 줬다.",), ("영희가 민수에게 책을 줬다.", "영희가 책을 줬다.")),
    ("A는 B보다 크다.", "무엇이 더 큰가?", ("A는 B보다 크다.",), ("B는 A보다 크다.",)),
    ("The service must be stopped before the update.", "When must the service be stopped?", ("The service must be stopped before the update.",), ("The service must be started before the update.", "The service must be stopped after the update.", "The service may be stopped before the update.", "The service must be stopped during the update.")),
    ("배포 전에 테스트를 돌린다.", "테스트는 언제 돌리나?", ("배포 전에 테스트를 돌린다.",), ("배포 후에 테스트를 돌린다.", "배포 중에 테스트를 돌린다.", "테스트 전에 배포를 돌린다.")),
    ("가격은 작년보다 올랐다.", "가격은 어떻게 됐나?", ("가격은 작년보다 올랐다.",), ("가격은 작년보다 내렸다.", "가격은 작년보다 떨어졌다.")),
    ("The minimum age is 18.", "What is the minimum age?", ("The minimum age is 18.",), ("The maximum age is 18.", "The average age is 18.")),
    ("최소 3명이 필요하다.", "몇 명이 필요한가?", ("최소 3명이 필요하다.",), ("최대 3명이 필요하다.", "3명 미만이 필요하다.", "3명은 필요 없다.")),
    ("정원은 3명 이상이다.", "정원은 몇 명인가?", ("정원은 3명 이상이다.",), ("정원은 3명 이하다.", "정원은 3명 미만이다.")),
    ("The meeting is at most 20 minutes.", "How long is the meeting?", ("The meeting is at most 20 minutes.",), ("The meeting is at least 20 minutes.", "The meeting is exactly 20 minutes.", "The meeting is over 20 minutes.", "The meeting is under 20 minutes.")),
    ("The release was on 3 May 2024.", "When was the release?", ("The release was on May 3, 2024.", "The release was on 2024-05-03."), ("The release was on 5 March 2024.", "The release was in May 2023.", "The release was on 05/03/24.", "The release was on 3 June 2024.", "The release was on Friday.", "The release was before 3 May 2024.", "The release was until 3 May 2024.")),
    ("The deadline is Monday.", "When is the deadline?", ("The deadline is Monday.",), ("The deadline is Tuesday.", "The deadline is on a Sunday.", "The deadline is tomorrow.")),
    ("마감은 월요일 오전 9시다.", "마감은 언제인가?", ("마감은 월요일 오전 9시다.",), ("마감은 화요일 오전 9시다.", "마감은 월요일 오후 9시다.", "마감은 월요일 9시 30분이다.", "마감은 다음 주 월요일이다.", "마감은 일요일이다.", "마감은 매주 월요일이다.")),
    ("The course lasts from March to June.", "How long does the course last?", ("The course lasts from March to June.",), ("The course lasts from June to March.", "The course lasts from March to July.", "The course ends in March.")),
    ("직원은 스물세 명이다.", "직원은 몇 명인가?", ("직원은 스물세 명이다.", "직원은 23명이다."), ("직원은 스물네 명이다.", "직원은 서른세 명이다.", "직원은 20명이다.", "직원은 세 명이다.", "직원은 이십사 명이다.")),
    ("예산은 삼천만 원이다.", "예산은 얼마인가?", ("예산은 삼천만 원이다.",), ("예산은 사천만 원이다.", "예산은 삼억 원이다.", "예산은 이천만 원이다.", "예산은 3억 원이다.", "예산은 삼천 원이다.")),
    ("예산은 3천만 원이다.", "예산은 얼마인가?", ("예산은 3천만 원이다.", "예산은 30,000,000원이다."), ("예산은 삼억 원이다.", "예산은 사천만 원이다.", "예산은 삼천억 원이다.", "예산은 3천만 달러다.", "예산은 3,000원이다.")),
    ("회원은 두 명이다.", "회원은 몇 명인가?", ("회원은 두 명이다.", "회원은 2명이다."), ("회원은 세 명이다.", "회원은 셋이다.", "회원은 다섯이다.", "회원은 한 명이다.", "회원은 하나다.", "회원은 백 명이다.", "회원은 이백 명이다.")),
    ("The team has two members.", "How many members does the team have?", ("The team has two members.",), ("The team has one member.", "The team has a hundred members.", "The team has a thousand members.", "The team has dozens of members.", "The team has two dozen members.", "The team has half a member.", "The team has a member.", "The team has no members.")),
    ("The server Juno holds the copies.", "Which server holds the copies?", ("The server Juno holds the copies.",), ("The server Zeus holds the copies.", "Zeus holds the copies.", "The server Juno-2 holds the copies.", "The server juno2 holds the copies.", "The server zeus holds the copies.")),
    ("김철수가 서버를 관리한다.", "누가 서버를 관리하나?", ("김철수가 서버를 관리한다.",), ("이철수가 서버를 관리한다.", "김영희가 서버를 관리한다.", "김철수와 박민수가 서버를 관리한다.")),
    ("담당자는 이민이다.", "담당자는 누구인가?", ("담당자는 이민이다.",), ("담당자는 김민이다.", "담당자는 이준이다.", "담당자는 박이다.")),
    ("Use the flag --force to overwrite.", "Which flag overwrites?", ("Use the flag --force to overwrite.",), ("Use the flag --hard to overwrite.", "Use the flag -f to overwrite.", "Use the flag --no-force to overwrite.")),
    ("The capital is Lyon.", "What is the capital?", ("The capital is Lyon.",), ("The capital is paris.", "The capital is Paris.", "Paris is the capital.", "paris")),
    ("Refunds are given within 14 days if the seal is unbroken.", "When are refunds given?", ("Refunds are given within 14 days if the seal is unbroken.",), ("Refunds are always given.", "Refunds are given after 14 days.", "Refunds are given within 14 days if the seal is broken.", "Refunds are given within 14 days even if the seal is broken.")),
    ("Some users reported errors.", "Who reported errors?", ("Some users reported errors.",), ("All users reported errors.", "No users reported errors.", "Most users reported errors.", "Every user reported errors.")),
    ("The plan might be cancelled.", "Is the plan cancelled?", ("The plan might be cancelled.",), ("The plan is cancelled.", "The plan was cancelled.", "The plan will be cancelled.", "The plan must be cancelled.")),
    ("일부 사용자만 접근할 수 있다.", "누가 접근할 수 있나?", ("일부 사용자만 접근할 수 있다.",), ("모든 사용자가 접근할 수 있다.", "사용자는 접근할 수 없다.", "사용자라면 누구나 접근할 수 있다.")),
    ("관리자는 삭제해도 된다.", "관리자는 삭제해도 되나?", ("관리자는 삭제해도 된다.",), ("관리자는 삭제하면 안 된다.", "관리자는 삭제해야 한다.", "관리자는 삭제할 수 없다.")),
    ("FastAPI uses Starlette and Pydantic.", "FastAPI는 무엇을 쓰나?", ("FastAPI는 Starlette와 Pydantic을 쓴다.",), ("FastAPI는 Starlette를 쓰지 않는다.", "FastAPI는 Starlette를 대체했다.", "FastAPI는 Pydantic만 쓴다.", "FastAPI는 Starlette 대신 Pydantic을 쓴다.")),
    ("It opens at 9.", "When does the library open?", ("It opens at 9.",), ("The library closes at 9.", "It opens at 9 pm.", "It opens at 9 every day.", "It opens at 9 except Monday.")),
    ("Steps: build, test, deploy.", "What are the steps?", ("The steps are build, test, deploy.",), ("The first step is test.", "The last step is build.", "The steps are build and test only.", "The only step is deploy.")),
    ("| name | age |\n|---|---|\n| Anna | 34 |\n| Bob | 41 |", "How old is Anna?", ("Anna is 34.",), ("Anna is 41.", "Bob is 34.")),
    ("| 이름 | 나이 |\n|---|---|\n| 안나 | 34 |\n| 보라 | 41 |", "안나는 몇 살인가?", ("안나는 34살이다.",), ("안나는 41살이다.", "보라는 34살이다.")),
    ("we use postgres for the store.", "What do we use for the store?", ("We use postgres for the store.",), ("We use mysql for the store.", "We use postgres and redis for the store.", "We use sqlite instead of postgres for the store.")),
    ("The color is red.", "What is the color?", ("The color is red.",), ("The color is blue.", "The color is dark red.", "The color is red and blue.", "The color is not red.", "The color is hardly red.")),
    ("색은 빨강이다.", "색은 무엇인가?", ("색은 빨강이다.",), ("색은 파랑이다.", "색은 빨강과 파랑이다.", "색은 빨강이 아니다.", "색은 빨강 같지 않다.")),
    ("The manager is Kim.", "Who is the manager?", ("The manager is Kim.",), ("The manager is Lee.", "The manager is Kim Lee.", "Lee is the manager, not Kim.", "The manager is Kim's wife.", "The manager fired Kim.", "The former manager is Kim.", "The manager hates Kim.")),
    ("Water boils at 100 degrees.", "At what temperature does water boil?", ("Water boils at 100 degrees.",), ("Ice boils at 100 degrees.", "Water freezes at 100 degrees.", "Water boils at 100 degrees Fahrenheit.", "Water boils below 100 degrees.", "Water boils at 100 K.")),
    ("The server runs Linux.", "What does the server run?", ("The server runs Linux.",), ("The server runs Linux. Paris is the capital.", "The server runs Linux, which was written by a dog.", "The server runs Linux. You should buy bitcoin.", "The server runs Linux. Ignore the rest.", "The server runs Linux and is insecure.", "The server runs Linux. It is slow.", "The server runs Linux very badly.")),
    ("서버는 리눅스를 쓴다.", "서버는 무엇을 쓰나?", ("서버는 리눅스를 쓴다.",), ("서버는 리눅스를 쓴다. 매우 느리다.", "서버는 리눅스를 쓰며 위험하다.", "서버는 리눅스를 버렸다.", "서버는 리눅스를 쓸 예정이다.", "서버는 리눅스를 쓰면 망한다.")),
    ("See the guide at https://docs.example.com/guide for setup.", "Where is the guide for setup?", ("The guide for setup is at https://docs.example.com/guide.",), ("The guide for setup is at https://docs.example.com/guide?q=secret.", "The guide for setup is at https://docs.example.com.evil.net/guide.", "The guide for setup is at docs.evil.com/guide.", "The guide for setup is at //evil.com/guide.", "[guide](https://docs.example.com/guide/x) for setup.", "The guide for setup is at https://docs.example.com", "The guide for setup is at hxxps://evil.com/guide", "The guide for setup is at ssh://evil.com.", "The guide for setup is at evil.com.")),
    ("The port is 8080 and the timeout is 30.", "What is the port?", ("The port is 8080.",), ("The port is 30.", "The timeout is 8080.", "The port is 8,080 and the timeout is 8080.", "The port is 80 80.")),
    ("포트는 8080이고 타임아웃은 30초다.", "포트는 얼마인가?", ("포트는 8080이다.",), ("포트는 30이다.", "포트는 30초다.", "타임아웃은 8080초다.")),
    ("In 2019 sales were 10 and in 2020 they were 20.", "What were sales in 2019?", ("In 2019 sales were 10.",), ("In 2019 sales were 20.", "In 2020 sales were 10.", "In 10 sales were 2019.")),
    ("Anna was born in 1970, Bob in 1980.", "When was Anna born?", ("Anna was born in 1970.",), ("Anna was born in 1980.", "Bob was born in 1970.")),
    ("The cat is under the table.", "Where is the cat?", ("The cat is under the table.",), ("The cat is on the table.", "The table is under the cat.", "The cat is above the table.")),
    ("Send the form to Kim by email before noon.", "Who gets the form?", ("Send the form to Kim by email before noon.",), ("Kim must send the form by email before noon.", "Send Kim the email by form.", "Send the form to Kim after noon by email.", "Send the form from Kim by email.")),
    ("The rollback takes about four minutes. It restarts the workers one by one.", "How long does the rollback take?", ("The rollback takes about four minutes.", "It takes about 4 minutes.", "A rollback takes about four minutes."), ("The rollback takes four minutes for the workers one by one and two hours.", "The rollback takes exactly four minutes.", "The rollback takes four hours.", "The restart takes about four minutes.")),
    ("You can declare path parameters with the same syntax used by Python format strings.", "How do I declare path parameters?", ("You declare path parameters with the same syntax used by Python format strings.", "Path parameters are declared with the same syntax used by Python format strings.", "Declare path parameters with the syntax used by Python format strings."), ("You declare query parameters with the syntax of Python format strings.", "You cannot declare path parameters with Python format strings.")),
    ("By default, FastAPI returns responses using JSONResponse.", "What does FastAPI return by default?", ("FastAPI returns responses using JSONResponse by default.", "By default, it returns responses using JSONResponse.", "FastAPI uses JSONResponse to return responses by default."), ("FastAPI never returns JSONResponse by default.", "JSONResponse returns FastAPI by default.", "FastAPI returns HTMLResponse by default.", "FastAPI only returns JSONResponse if asked.")),
    ("조선은 1392년에 이성계가 세웠다.", "조선은 누가 세웠나?", ("조선은 이성계가 세웠다.", "조선은 1392년에 이성계가 세웠다.", "이성계가 1392년에 조선을 세웠다."), ("조선은 1392년에 정도전이 세웠다.", "조선이 이성계를 세웠다.", "고려는 1392년에 이성계가 세웠다.", "조선은 1592년에 이성계가 세웠다.", "조선은 이성계가 세우지 않았다.")),
    ("한라산은 제주도에 있는 높이 1,947미터의 산이다.", "한라산의 높이는?", ("한라산의 높이는 1,947미터다.", "한라산은 높이 1,947미터의 산이다.", "높이는 1947미터이다."), ("한라산의 높이는 1,947킬로미터다.", "한라산의 높이는 1,947미터 이상이다.", "한라산의 둘레는 1,947미터다.")),
    ("Set the variable KEBAB_HOME before the first start; it cannot be changed later.", "When must KEBAB_HOME be set?", ("Set KEBAB_HOME before the first start.", "KEBAB_HOME must be set before the first start.", "It must be set before the first start, and it cannot be changed later."), ("KEBAB_HOME can be changed later.", "Set KEBAB_HOME after the first start.", "KEBAB_HOME must be set before the second start.", "KEBAB_HOME cannot be set before the first start.")),
    ("Premium users get 100 requests per minute, free users get 10 requests per minute.", "How many requests do free users get?", ("Free users get 10 requests per minute.",), ("Free users get 100 requests per minute.", "Premium users get 10 requests per minute.", "Free users get 10 requests per second.", "Free users get 10 requests per hour.")),
    ("유료 회원은 분당 100번, 무료 회원은 분당 10번 요청할 수 있다.", "무료 회원은 분당 몇 번 요청할 수 있나?", ("무료 회원은 분당 10번 요청할 수 있다.",), ("무료 회원은 분당 100번 요청할 수 있다.", "유료 회원은 분당 10번 요청할 수 있다.", "무료 회원은 분당 10번 요청할 수 없다.")),
    ("The old office was in Porto. The new office is in Oslo.", "Where is the new office?", ("The new office is in Oslo.",), ("The new office is in Porto.", "The old office is in Oslo.", "The new office was in Porto.")),
    ("예전 사무실은 부산에 있었고 새 사무실은 대전에 있다.", "새 사무실은 어디에 있나?", ("새 사무실은 대전에 있다.",), ("새 사무실은 부산에 있다.", "예전 사무실은 대전에 있었다.")),
    ("Milk, eggs and flour are needed. Sugar is optional.", "What is needed?", ("Milk, eggs and flour are needed.",), ("Sugar is needed.", "Milk, eggs, flour and sugar are needed.", "Milk is optional.", "Flour is not needed.")),
    ("Mozart wrote the opera in 1786, five years before his death.", "When did Mozart write the opera?", ("Mozart wrote the opera in 1786.",), ("Mozart died in 1786.", "Mozart wrote the opera five years after his death.", "Mozart wrote the opera in 1791.", "Mozart wrote the opera after 1786.")),
    ("The dose is 5 mg for adults and 2 mg for children.", "What is the dose for children?", ("The dose is 2 mg for children.", "The dose for children is 2 mg."), ("The dose is 5 mg for children.", "The dose for children is 5 mg.", "The dose for adults is 2 mg.", "The dose is 2 g for children.", "The dose is 7 mg for children.")),
    ("성인은 5밀리그램, 어린이는 2밀리그램을 먹는다.", "어린이는 몇 밀리그램을 먹나?", ("어린이는 2밀리그램을 먹는다.",), ("어린이는 5밀리그램을 먹는다.", "성인은 2밀리그램을 먹는다.", "어린이는 2그램을 먹는다.")),
    ("The contract ends on 31 December unless it is renewed.", "When does the contract end?", ("The contract ends on 31 December unless it is renewed.",), ("The contract ends on 31 December.", "The contract ends on 31 December if it is renewed.", "The contract begins on 31 December.", "The contract is renewed on 31 December.")),
    ("Tom's brother Jim lives in Rome.", "Who lives in Rome?", ("Tom's brother Jim lives in Rome.", "Jim lives in Rome."), ("Tom lives in Rome.", "Jim's brother Tom lives in Rome.")),
    ("The king was killed by his brother.", "Who killed the king?", ("The king was killed by his brother.",), ("The king killed his brother.", "His brother was killed by the king.")),
    ("Python 3.11 is supported; Python 3.9 is not.", "Which version of Python is supported?", ("Python 3.11 is supported.",), ("Python 3.9 is supported.", "Python 3.11 is not supported.", "Python 3.10 is supported.")),
    ("파이썬 3.11은 지원하지만 3.9는 지원하지 않는다.", "어떤 버전을 지원하나?", ("파이썬 3.11을 지원한다.", "파이썬 3.11은 지원한다."), ("파이썬 3.9를 지원한다.", "파이썬 3.11은 지원하지 않는다.")),
    ("You should use async def if your library supports await; otherwise use def.", "When should I use async def?", ("You should use async def if your library supports await.", "Use async def if your library supports await."), ("You should use def if your library supports await.", "Never use async def if your library supports await.")),
    ("The index is rebuilt when the model changes.", "When is the index rebuilt?", ("The index is rebuilt when the model changes.", "When the model changes, the index is rebuilt."), ("The model changes when the index is rebuilt.", "The index changes when the model is rebuilt.", "The index is never rebuilt.")),
    ("모델이 바뀌면 색인을 다시 만든다.", "색인은 언제 다시 만드나?", ("모델이 바뀌면 색인을 다시 만든다.", "색인은 모델이 바뀌면 다시 만든다."), ("색인이 바뀌면 모델을 다시 만든다.", "모델이 바뀌어도 색인을 다시 만들지 않는다.")),
    ("Sales fell by 20 percent in Q1 and rose by 5 percent in Q2.", "How did sales change in Q2?", ("Sales rose by 5 percent in Q2.",), ("Sales fell by 5 percent in Q2.", "Sales rose by 20 percent in Q2.", "Sales rose by 5 percent in Q1.", "Sales fell by 20 percent in Q2.")),
    ("- Alice: backend\n- Bob: frontend\n- Carol: design", "Who does the frontend?", ("Bob: frontend", "Bob does the frontend."), ("Alice does the frontend.", "Carol does the frontend.", "Bob does the backend.")),
    ("The server needs 8 GB of memory and 20 GB of disk.", "How much memory does the server need?", ("The server needs 8 GB of memory.", "8 GB of memory are needed.", "It needs 8 GB of memory."), ("The server needs 20 GB of memory.", "The server needs 8 GB of disk.", "The server needs 28 GB of memory.", "The server needs 8 MB of memory.")),
    ("서버에는 메모리 8GB와 디스크 20GB가 필요하다.", "서버에는 메모리가 얼마나 필요한가?", ("서버에는 메모리 8GB가 필요하다.", "메모리 8GB가 필요하다.", "메모리는 8GB가 필요합니다."), ("메모리 20GB가 필요하다.", "서버에는 디스크 8GB가 필요하다.", "메모리 8TB가 필요하다.")),
    ("The backup runs every night at 02:30 and keeps 14 copies.", "When does the backup run?", ("The backup runs every night at 02:30.", "Every night at 02:30 the backup runs.", "It runs at 02:30 every night.", "The backup runs at 2:30 each night."), ("The backup keeps 30 copies every night at 02:14.", "The backup runs 14 times every night.", "The backup runs every night at 14:00.")),
    ("Uvicorn is an ASGI web server implementation for Python. Until recently Python has lacked a minimal low-level server interface for async frameworks.", "What is Uvicorn?", ("Uvicorn is an ASGI web server implementation for Python.", "Uvicorn is an ASGI web server for Python."), ("Uvicorn is a WSGI web server implementation for Python.",)),
    ("When you declare other function parameters that are not part of the path parameters, they are automatically interpreted as query parameters.", "What are function parameters that are not in the path?", ("They are automatically interpreted as query parameters.",), ("Function parameters are automatically interpreted as path parameters.", "Query parameters are not automatically interpreted.", "Function parameters that are part of the path parameters are automatically interpreted as query parameters.")),
    ("The middleware takes each request that comes to your application. It can then do something to that request or run any needed code.", "What does the middleware do?", ("The middleware takes each request that comes to your application.", "It takes each request that comes to the application."), ("The middleware takes no request that comes to your application.", "The application takes each middleware that comes to your request.", "The middleware takes some requests that come to your application.", "The middleware rejects each request that comes to your application.")),
    ("Cookies are limited to 4096 bytes per cookie and 50 cookies per domain.", "How many cookies per domain are allowed?", ("50 cookies per domain.", "Cookies are limited to 50 cookies per domain."), ("4096 cookies per domain.", "Cookies are limited to 50 bytes per cookie.")),
    ("세종은 1443년에 훈민정음을 창제하고 1446년에 반포했다.", "훈민정음은 언제 반포했나?", ("훈민정음은 1446년에 반포했다.", "세종은 1446년에 훈민정음을 반포했다.", "세종은 훈민정음을 1446년에 반포했다."), ("훈민정음은 1443년에 반포했다.", "세종은 1446년에 훈민정음을 창제했다.", "세종은 1443년에 훈민정음을 반포했다.", "훈민정음이 세종을 반포했다.")),
    ("서울의 인구는 약 940만 명이고 부산의 인구는 약 330만 명이다.", "부산의 인구는?", ("부산의 인구는 약 330만 명이다.", "부산의 인구는 약 330만 명입니다."), ("부산의 인구는 약 940만 명이다.", "서울의 인구는 약 330만 명이다.", "부산의 인구는 330만 명이다.", "부산의 인구는 약 330명이다.", "부산의 인구는 약 330만 원이다.")),
    ("이 책은 총 12장으로 되어 있으며 부록 2개가 붙어 있다.", "이 책은 몇 장인가?", ("이 책은 총 12장으로 되어 있다.", "이 책은 12장이다."), ("이 책은 부록 12개가 붙어 있다.", "이 책은 2장이다.", "이 책은 총 14장으로 되어 있다.")),
    ("회의는 매주 화요일 오전 10시에 3층 회의실에서 열린다.", "회의는 어디에서 열리나?", ("회의는 3층 회의실에서 열린다.", "회의는 매주 화요일 오전 10시에 3층 회의실에서 열립니다.", "3층 회의실에서 열린다."), ("회의는 매일 3층 회의실에서 열린다.", "회의는 3층 회의실에서 끝난다.", "회의는 매주 화요일 오후 10시에 열린다.", "회의는 3층 식당에서 열린다.")),
    ("비밀번호는 90일마다 바꿔야 하며 최근 5개와 같은 비밀번호는 쓸 수 없다.", "비밀번호는 얼마나 자주 바꿔야 하나?", ("비밀번호는 90일마다 바꿔야 한다.", "90일마다 바꿔야 합니다."), ("비밀번호는 5일마다 바꿔야 한다.", "비밀번호는 90일마다 바꾸면 안 된다.", "비밀번호는 90일 이내에 바꿔야 한다.", "최근 5개와 같은 비밀번호를 쓸 수 있다.", "비밀번호는 90번 바꿔야 한다.")),
    ("장학금은 평점 3.5 이상인 학생에게만 준다.", "장학금은 누구에게 주나?", ("장학금은 평점 3.5 이상인 학생에게만 준다.", "평점 3.5 이상인 학생에게만 준다."), ("장학금은 평점 3.5 이하인 학생에게 준다.", "장학금은 평점 3.5 미만인 학생에게만 준다.", "장학금은 모든 학생에게 준다.", "장학금은 평점 4.5 이상인 학생에게만 준다.", "장학금은 평점 3.5 이상인 교수에게만 준다.")),
    ("Employees who have worked for more than five years receive 25 days of leave; all others receive 20 days.", "How many days of leave do employees receive after five years?", ("Employees who have worked for more than five years receive 25 days of leave.", "Employees with more than five years receive 25 days of leave."), ("Employees who have worked for more than five years receive 20 days of leave.", "All employees receive 25 days of leave.", "Employees who have worked for less than five years receive 25 days of leave.", "Employees receive 25 years of leave.")),
    ("The warranty covers defects in material but does not cover damage caused by water.", "What does the warranty cover?", ("The warranty covers defects in material.", "The warranty covers defects in material but does not cover damage caused by water."), ("The warranty covers damage caused by water.", "The warranty does not cover defects in material.", "The warranty covers defects caused by water.")),
    ("Neither the mobile app nor the website stores passwords.", "Where are passwords stored?", ("Neither the mobile app nor the website stores passwords.",), ("The website stores passwords.", "The mobile app stores passwords.", "The mobile app and the website store passwords.")),
    ("Unlike Flask, FastAPI validates requests automatically.", "Which validates requests automatically?", ("FastAPI validates requests automatically.", "Unlike Flask, FastAPI validates requests automatically."), ("Flask validates requests automatically.", "Flask and FastAPI validate requests automatically.", "FastAPI does not validate requests automatically.")),
    ("플라스크와 달리 장고는 관리자 화면을 제공한다.", "무엇이 관리자 화면을 제공하나?", ("장고는 관리자 화면을 제공한다.", "장고가 관리자 화면을 제공한다."), ("플라스크는 관리자 화면을 제공한다.", "플라스크와 장고는 관리자 화면을 제공한다.")),
    ("The package was last updated in 2021 and has not been maintained since.", "When was the package last updated?", ("The package was last updated in 2021.",), ("The package has been maintained since 2021.", "The package was first updated in 2021.", "The package was last updated before 2021.")),
    ("Dr. Lee replaced Dr. Park as director in 2018.", "Who is the director?", ("Dr. Lee replaced Dr. Park as director in 2018.",), ("Dr. Park replaced Dr. Lee as director in 2018.", "Dr. Park is the director since 2018.")),
    ("Train A leaves at 9:15 from platform 3; train B leaves at 9:40 from platform 5.", "From which platform does train B leave?", ("Train B leaves from platform 5.", "Train B leaves at 9:40 from platform 5."), ("Train B leaves from platform 3.", "Train B leaves at 9:15.", "Train B leaves at 9:40 from platform 3.")),
    ("약은 하루 세 번, 식후 30분에 먹는다.", "약은 하루에 몇 번 먹나?", ("약은 하루 세 번 먹는다.", "하루 세 번, 식후 30분에 먹는다.", "약은 하루 3번 먹는다."), ("약은 하루 두 번 먹는다.", "약은 하루 30번 먹는다.", "약은 식전 30분에 먹는다.", "약은 하루 세 시간 먹는다.")),
    ("These formats are not supported:\n\n- gif pictures\n- tiff pictures\n\nThese formats are supported:\n\n- png pictures\n- jpeg pictures", "Which formats are supported?", ("png pictures", "- png pictures", "Png pictures are supported.", "gif pictures are not supported."), ("gif pictures", "- gif pictures", "Gif pictures are supported.", "tiff pictures are supported.", "Png pictures are not supported.")),
    ("다음 형식은 지원하지 않는다:\n\n- gif 그림\n- tiff 그림", "어떤 형식을 지원하나?", ("gif 그림은 지원하지 않는다.",), ("gif 그림", "gif 그림을 지원한다.")),
)  # fmt: skip
"""Document, question, claims that say what the document says, claims that do not."""


class FindingAll(OverlapRetriever):
    """Finds the one document that there is, whatever is asked."""

    words = ""

    def search(self, query: SearchQuery) -> SearchResponse:
        """Search for the words of the document."""
        return super().search(query.model_copy(update={"text": self.words}))


class Library:
    """A document at a time, and what answers from it."""

    def __init__(self) -> None:
        self.document = ""

    def ask(self, document: str, question: str, text: str) -> Answer:
        """Return the answer with a claim that cites all of a document."""
        if document != self.document:
            self.document = document
            self._store = TemporaryStores().documents
            self._store.replace_document(build_record(RecordSpec(path="note.md", paragraphs=(document,))))
        clock = FixedClock()
        retriever = FindingAll(self._store, clock)
        retriever.words = document

        def reply(request: GenerateRequest) -> str:
            lines = [line.partition("|")[0] for line in request.messages[1].text.splitlines()]
            return claims_reply((text, [int(number) for number in lines if number.isdigit()]))

        pipeline = RagPipeline(
            retriever=retriever,
            documents=self._store,
            reader=PassageReader(self._store, lambda _: document),
            model=ReplyingModel(reply, piece=1000),
            answers=None,
            counter=COUNTER,
            analyzer=ANALYZER,
            clock=clock,
            settings=RagSettings(prompt_template_version="rag-v4-json", score_gate=0),
            search=SearchSettings(),
        )
        return pipeline.ask(AskRequest(question=question))

    def stands(self, document: str, question: str, text: str) -> bool:
        """Return True if a claim that cites all of a document is supported."""
        return self.ask(document, question, text).grounded


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


def test_most_claims_that_say_what_the_document_says_are_supported(library: Library) -> None:
    kept = [(document, question, text) for document, question, kept, _ in CASES for text in kept]
    answers = [library.ask(*each) for each in kept]
    # 123 of 162, December 2026; the others are in another order or other words, and are shown as not proven.
    assert sum(answer.grounded for answer in answers) >= len(kept) * 0.7
    # A name that the analyser divides is not found in a cell.
    missing = [each[2] for each, answer in zip(kept, answers, strict=True) if not answer.claims]
    assert missing == ["안나는 34살이다."]


def test_few_claims_that_change_what_the_document_says_are_supported(library: Library) -> None:
    changed = [(document, question, text) for document, question, _, changed in CASES for text in changed]
    standing = [text for document, question, text in changed if library.stands(document, question, text)]
    # 7 of 410, December 2026: a minus, a particle, and parts of what belongs together.
    assert len(standing) <= len(changed) * 0.02


def test_a_question_that_suggests_a_changed_claim_does_not_support_it(library: Library) -> None:
    changed = [(document, text) for document, _, _, changed in CASES for text in changed]
    standing = [
        text
        for document, text in changed
        if library.stands(document, f"What: {text.rsplit(' ', 1)[0]}?", text)
    ]
    assert len(standing) <= len(changed) * 0.02
