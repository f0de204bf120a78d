"""Phrases of kinds that are easily misread, with the days they mean; written before the rules.

The asker's moment is Wednesday, 18 June 2025. An end is exclusive; a phrase without days names none.
"""

from __future__ import annotations

NAMES = """
What did we plan in Rio de Janeiro? |
The meeting in Rio de Janeiro was on 3 March 2025 | 2025-03-03 2025-03-04
our flight to Rio de Janeiro last week | 2025-06-09 2025-06-16
What does April like to eat? |
What did June say about the garden? |
When did I meet August Wilson? |
Who plays Wednesday Addams? |
the Sunday Times crossword |
notes about Mars and Jupiter |
my appointment at the Mayo Clinic |
¿Qué le gusta a Abril? |
la manifestación en la Plaza de Mayo |
¿Quién era Domingo Sarmiento? |
Rio de Janeiro em maio de 2024 | 2024-05-01 2024-06-01
voltei do Rio de Janeiro ontem | 2025-06-17 2025-06-18
qual é o hotel no Rio de Janeiro? |
le Champ-de-Mars est fermé |
la planète Mars |
Avril Lavigne en concert |
Was hat Frau Mai gesagt? |
der Planet Mars |
Bilder von August dem Starken |
il carnevale di Rio de Janeiro |
Rio de Janeiro nel gennaio 2024 | 2024-01-01 2024-02-01
11/22/63 by Stephen King |
What did I think of the novel 11/22/63? |
I read "11/22/63" in May 2024 | 2024-05-01 2024-06-01
what happened on 11/22/63 | 1963-11-22 1963-11-23
is 11/22/63 a good book? |
who wrote '11/22/63'? |
we read 1984 last week | 2025-06-09 2025-06-16
flight 1022 in May | 2025-05-01 2025-06-01
is monday.com down? |
what changed in version 2.10.23 |
the book 1984 that I read last year | 2024-01-01 2025-01-01
""".strip()
WEEKDAYS = """
the Monday before July 24, 2023 | 2023-07-17 2023-07-18
Friday on 23 January | 2026-01-23 2026-01-24
am Freitag, den 15. August | 2025-08-15 2025-08-16
el jueves 19 de junio | 2025-06-19 2025-06-20
the Friday after 3 March 2025 | 2025-03-07 2025-03-08
the Sunday before 25 May 2023 | 2023-05-21 2023-05-22
on the first Tuesday after 1 November 2024 | 2024-11-05 2024-11-06
der Montag vor dem 24. Juli 2023 | 2023-07-17 2023-07-18
am Freitag nach dem 3. März 2025 | 2025-03-07 2025-03-08
el lunes antes del 24 de julio de 2023 | 2023-07-17 2023-07-18
el viernes después del 3 de marzo de 2025 | 2025-03-07 2025-03-08
le lundi avant le 24 juillet 2023 | 2023-07-17 2023-07-18
le vendredi après le 3 mars 2025 | 2025-03-07 2025-03-08
a segunda-feira antes de 24 de julho de 2023 | 2023-07-17 2023-07-18
a sexta-feira depois de 3 de março de 2025 | 2025-03-07 2025-03-08
il lunedì prima del 24 luglio 2023 | 2023-07-17 2023-07-18
il venerdì dopo il 3 marzo 2025 | 2025-03-07 2025-03-08
2023年7月24日之前的星期一 | 2023-07-17 2023-07-18
2025年3月3日后的星期五 | 2025-03-07 2025-03-08
2023年7月24日の前の月曜日 | 2023-07-17 2023-07-18
2025年3月3日の後の金曜日 | 2025-03-07 2025-03-08
""".strip()
EDGES = """
the last two weeks of August 2023 | 2023-08-18 2023-09-01
the last 10 days of 2023 | 2023-12-22 2024-01-01
the first three days of May 2024 | 2024-05-01 2024-05-04
in the first two weeks of January 2025 | 2025-01-01 2025-01-15
the last 3 months of 2024 | 2024-10-01 2025-01-01
the first six months of last year | 2024-01-01 2024-07-01
the last three days of last month | 2025-05-29 2025-06-01
the first 5 days of summer 2024 | 2024-06-01 2024-06-06
die letzten zwei Wochen im August 2023 | 2023-08-18 2023-09-01
die letzten 10 Tage des Jahres 2023 | 2023-12-22 2024-01-01
die ersten drei Tage im Mai 2024 | 2024-05-01 2024-05-04
in den ersten zwei Monaten 2025 | 2025-01-01 2025-03-01
las últimas dos semanas de agosto de 2023 | 2023-08-18 2023-09-01
los últimos 10 días de 2023 | 2023-12-22 2024-01-01
los primeros tres días de mayo de 2024 | 2024-05-01 2024-05-04
les deux dernières semaines d'août 2023 | 2023-08-18 2023-09-01
les 10 derniers jours de 2023 | 2023-12-22 2024-01-01
les trois premiers jours de mai 2024 | 2024-05-01 2024-05-04
as últimas duas semanas de agosto de 2023 | 2023-08-18 2023-09-01
os últimos 10 dias de 2023 | 2023-12-22 2024-01-01
os primeiros três dias de maio de 2024 | 2024-05-01 2024-05-04
le ultime due settimane di agosto 2023 | 2023-08-18 2023-09-01
gli ultimi 10 giorni del 2023 | 2023-12-22 2024-01-01
i primi tre giorni di maggio 2024 | 2024-05-01 2024-05-04
2023年8月的最后两周 | 2023-08-18 2023-09-01
2023年最后10天 | 2023-12-22 2024-01-01
2024年5月的前三天 | 2024-05-01 2024-05-04
2023年8月の最後の2週間 | 2023-08-18 2023-09-01
2023年の最後の10日間 | 2023-12-22 2024-01-01
2024年5月の最初の3日間 | 2024-05-01 2024-05-04
""".strip()
SEASONS = """
winter 2021 - 2022 | 2021-12-01 2022-03-01
winter 2021-2022 | 2021-12-01 2022-03-01
the winter of 2021/2022 | 2021-12-01 2022-03-01
winter 2021 – 22 | 2021-12-01 2022-03-01
the winter of 2021 to 2022 | 2021-12-01 2022-03-01
Winter 2021 - 2022 in den Bergen | 2021-12-01 2022-03-01
invierno 2021 - 2022 | 2021-12-01 2022-03-01
l'hiver 2021 - 2022 | 2021-12-01 2022-03-01
inverno de 2021 - 2022 | 2021-12-01 2022-03-01
l'inverno 2021-2022 | 2021-12-01 2022-03-01
2021-2022年冬天 | 2021-12-01 2022-03-01
2021〜2022年の冬 | 2021-12-01 2022-03-01
""".strip()
COMPOUNDS = """
最近天气怎么样 |
昨天天气怎么样 | 2025-06-17 2025-06-18
今天天气很好 | 2025-06-18 2025-06-19
最近天空很蓝 |
最近年轻人喜欢什么 |
最近日本有什么新闻 |
最近月亮很圆 |
上周日记里写了什么 | 2025-06-09 2025-06-16
去年日本旅行花了多少钱 | 2024-01-01 2025-01-01
最近三天天气怎么样 | 2025-06-15 2025-06-19
最近天気がいい |
昨日の天気は | 2025-06-17 2025-06-18
昨日本を読んだ | 2025-06-17 2025-06-18
毎日新聞の記事 |
日曜大工の道具はどこ |
春日さんの電話番号 |
三日月の写真 |
""".strip()
KINDS = {
    "names": NAMES,
    "weekdays": WEEKDAYS,
    "edges": EDGES,
    "seasons": SEASONS,
    "compounds": COMPOUNDS,
}
