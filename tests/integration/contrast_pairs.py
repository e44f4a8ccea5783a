"""Questions about one of two things that are told in the same words, one of them with its answer and one without."""

from __future__ import annotations

from typing import NamedTuple


class Contrast(NamedTuple):
    """A question, the sentence that answers it, one that answers it for something else, and a remark on what is asked.

    The remark knows the word by which the two differ, so that the question is about nothing unheard of.
    """

    question: str
    right: str
    wrong: str
    remark: str


CONTRASTS = tuple(
    Contrast(*(part.strip() for part in line.split("|")))
    for line in """
When does the Paris office open? | The Paris office opens at 10 am. | The Berlin office opens at 9 am. | The Paris office has a new manager.
How much is the foreign travel allowance? | Foreign travel allowance is 50 euros per day. | Domestic travel allowance is 30 euros per day. | Foreign travel needs approval.
How many vacation days do interns get? | Interns get 12 vacation days. | Full-time staff get 25 vacation days. | Interns get a laptop.
What is the guest wifi password? | The guest wifi password is tulip-42. | The staff wifi password is oak-77. | The guest wifi covers the lobby.
Who cleans the upper kitchen? | Maria cleans the upper kitchen. | Tom cleans the lower kitchen. | The upper kitchen has a new oven.
How long is the summer break? | The summer break is six weeks long. | The winter break is two weeks long. | The summer party was loud.
When is the east gate locked? | The east gate is locked at 22:00. | The west gate is locked at 20:00. | The east gate was painted.
How much does a child ticket cost? | A child ticket costs 4 euros. | An adult ticket costs 9 euros. | A child ticket needs a stamp.
What is the speed limit for trucks? | The speed limit for trucks is 60 km/h. | The speed limit for cars is 80 km/h. | Trucks stop at the scale.
When was the blue printer bought? | The blue printer was bought in 2021. | The grey printer was bought in 2019. | The blue printer is out of ink.
How many chairs are in the small room? | There are 8 chairs in the small room. | There are 40 chairs in the large room. | The small room has no window.
Which port does the staging server use? | The staging server uses port 8081. | The production server uses port 443. | The staging server is slow.
Who teaches the evening course? | Ms. Ito teaches the evening course. | Mr. Cole teaches the morning course. | The evening course is full.
How often is the diesel generator tested? | The diesel generator is tested every month. | The gas generator is tested every week. | The diesel generator stands outside.
What colour is the spare key? | The spare key is red. | The main key is green. | The spare key hangs in the hall.
When does the night bus leave? | The night bus leaves at 23:40. | The express bus leaves at 8:15. | The night bus has free seats.
How much salt goes into the rye bread? | The rye bread takes 12 g of salt. | The wheat bread takes 9 g of salt. | The rye bread rests overnight.
Where is the women's changing room? | The women's changing room is on floor 3. | The men's changing room is on floor 2. | The women's team won.
What is the limit for weekly backups? | The limit for weekly backups is 40 GB. | The limit for daily backups is 5 GB. | Weekly backups run on Sundays.
Who signs contracts with suppliers? | Lena signs contracts with suppliers. | Omar signs contracts with customers. | The suppliers met in May.
How old is the north bridge? | The north bridge is 90 years old. | The south bridge is 40 years old. | The north bridge carries trams.
When is the tax report due? | The tax report is due on May 31. | The safety report is due on March 1. | The tax office moved.
해외 출장 일비는 얼마인가요? | 해외 출장 일비는 하루 8만원이다. | 국내 출장 일비는 하루 3만원이다. | 해외 출장은 사전 승인을 받아야 한다.
부산 지사는 몇 시에 문을 여나요? | 부산 지사는 10시에 문을 연다. | 본사는 9시에 문을 연다. | 부산 지사는 새 지점장을 맞았다.
인턴은 연차가 며칠인가요? | 인턴은 연차가 11일이다. | 정직원은 연차가 25일이다. | 인턴은 노트북을 받는다.
손님용 와이파이 비밀번호는? | 손님용 와이파이 비밀번호는 tulip-42이다. | 직원용 와이파이 비밀번호는 oak-77이다. | 손님용 와이파이는 로비에서 잡힌다.
야간 버스는 몇 시에 출발하나요? | 야간 버스는 23시 40분에 출발한다. | 급행 버스는 8시 15분에 출발한다. | 야간 버스는 자리가 많다.
어린이 입장료는 얼마인가요? | 어린이 입장료는 3천원이다. | 어른 입장료는 9천원이다. | 어린이 놀이터가 새로 생겼다.
여름 방학은 언제 시작하나요? | 여름 방학은 7월 20일에 시작한다. | 겨울 방학은 12월 28일에 시작한다. | 여름 캠프는 재미있었다.
동문은 몇 시에 닫나요? | 동문은 22시에 닫는다. | 서문은 20시에 닫는다. | 동문을 새로 칠했다.
작은 회의실에는 의자가 몇 개 있나요? | 작은 회의실에는 의자가 8개 있다. | 큰 회의실에는 의자가 40개 있다. | 작은 회의실은 창이 없다.
개발 서버의 포트는 무엇인가요? | 개발 서버의 포트는 8081이다. | 운영 서버의 포트는 443이다. | 개발 서버가 느리다.
저녁 강의는 누가 맡나요? | 저녁 강의는 이서연 강사가 맡는다. | 아침 강의는 박지훈 강사가 맡는다. | 저녁 강의를 새로 열었다.
디젤 발전기는 얼마나 자주 점검하나요? | 디젤 발전기는 매달 점검한다. | 가스 발전기는 매주 점검한다. | 디젤 발전기는 밖에 있다.
예비 열쇠는 무슨 색인가요? | 예비 열쇠는 빨간색이다. | 주 열쇠는 초록색이다. | 예비 열쇠는 복도에 걸려 있다.
호밀빵에는 소금이 얼마나 들어가나요? | 호밀빵에는 소금이 12g 들어간다. | 식빵에는 소금이 9g 들어간다. | 호밀빵은 밤새 둔다.
여자 탈의실은 어디에 있나요? | 여자 탈의실은 3층에 있다. | 남자 탈의실은 2층에 있다. | 여자 팀이 이겼다.
주간 백업 한도는 얼마인가요? | 주간 백업 한도는 40GB이다. | 일일 백업 한도는 5GB이다. | 주간 백업은 일요일에 돈다.
협력사 계약은 누가 서명하나요? | 협력사 계약은 김하늘 이사가 서명한다. | 고객 계약은 오세훈 이사가 서명한다. | 협력사 모임이 5월에 있었다.
북쪽 다리는 몇 년 됐나요? | 북쪽 다리는 90년 됐다. | 남쪽 다리는 40년 됐다. | 북쪽 다리로 전차가 다닌다.
세무 보고서 마감은 언제인가요? | 세무 보고서 마감은 5월 31일이다. | 안전 보고서 마감은 3월 1일이다. | 세무 담당이 바뀌었다.
경차 주차 요금은 얼마인가요? | 경차 주차 요금은 월 5만원이다. | 승용차 주차 요금은 월 9만원이다. | 경차 자리는 지하에 있다.
신입 교육은 며칠 동안 하나요? | 신입 교육은 닷새, 곧 5일 동안 한다. | 경력 교육은 이틀, 곧 2일 동안 한다. | 신입 사원이 많다.
냉동 창고 온도는 몇 도인가요? | 냉동 창고 온도는 영하 18도이다. | 냉장 창고 온도는 영상 4도이다. | 냉동 창고 문이 고장 났다.
""".strip().splitlines()
)
