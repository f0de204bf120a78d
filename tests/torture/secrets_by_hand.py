"""Secrets in shapes that the drawn corpus lacks, look-alikes that must stay, and codes of places.

All were written down by hand before the rules that read them. None of them ever opened anything.
"""

from __future__ import annotations

import base64
import json

from tests.torture.secrets_corpus import Case


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


_AUTH = _coded("robot:hunter2x9zz")
_CONFIG = _coded(json.dumps({"auths": {"r.example.com": {"auth": _AUTH}}}))

ENCODED = [
    ('{"auths": {"registry.example.com": {"auth": "' + _AUTH + '"}}}', _AUTH),
    ('my config.json says "auth" : "' + _coded("ana:Sommer88!") + '"', _coded("ana:Sommer88!")),
    (f"//registry.npmjs.org/:_auth={_AUTH}", _AUTH),
    (f"  .dockerconfigjson: {_CONFIG}", _CONFIG),
    (f"extraheader = AUTHORIZATION: basic {_AUTH}", _AUTH),
    (f"curl -H 'Authorization: Basic {_coded('ci:tulpe4711')}' x", _coded("ci:tulpe4711")),
    (f"auth={_coded('deploy:k9vault!')}", _coded("deploy:k9vault!")),
]
SPACED = [
    ("the pass phrase: correct horse battery staple", "correct horse battery staple"),
    ("My pass phrase is blue-otter-sings-9", "blue-otter-sings-9"),
    ("pass word: hunter2x9", "hunter2x9"),
    ("the pass word for the NAS is hunter2x9", "hunter2x9"),
    ("pass-phrase = violet5kettle", "violet5kettle"),
    ("das Kenn-Wort lautet Sommer7Regen!", "Sommer7Regen!"),
    ("Pass-Wort: tulpe4711x", "tulpe4711x"),
    ("la frase de paso: caballo77luna", "caballo77luna"),
    ("la contra seña es girasol88", "girasol88"),
    ("la phrase de passe : cheval-bleu-77", "cheval-bleu-77"),
    ("le mot-de-passe est tournesol88", "tournesol88"),
    ("a palavra-passe é girassol88", "girassol88"),
    ("a palavra passe: girassol88", "girassol88"),
    ("la parola d'ordine: girasole88", "girasole88"),
    ("het wacht woord is tulp4711x", "tulp4711x"),
    ("パス ワード: himawari88", "himawari88"),
    ("パスフレーズは himawari-77-sora です", "himawari-77-sora"),
    ("口令：tangerine8x", "tangerine8x"),
]
SEEDS = [
    (
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
        "sausage worth useful",
    ),
    (
        "keep this safe for me: cat swing flag economy stadium alone churn speed unique patch"
        " report train",
        "economy stadium alone",
    ),
    (
        "scheme spot photo card baby mountain device kick cradle pact join borrow\nthat is for"
        " the old wallet",
        "device kick cradle",
    ),
    (
        "1. vessel 2. ladder 3. alter 4. error 5. federal 6. sibling 7. chat 8. ability 9. sun"
        " 10. glass 11. valve 12. picture",
        "federal",
    ),
    (
        "ozone, drill, grab, fiber, curtain, grace, pudding, thank, cruise, elder, eight, picnic",
        "curtain, grace",
    ),
    (
        "panda eyebrow bullet gorilla call smoke muffin taste mesh discover soft ostrich alcohol"
        " speed nation flash devote level hobby quick inner drive ghost inside",
        "nation flash devote",
    ),
    (
        "Ledger:\nhamster\ndiagram\nprivate\ndutch\ncause\ndelay\nprivate\nmeat\nslide\ntoddler"
        "\nrazor\nbook",
        "dutch\ncause",
    ),
    (
        "Scissors Invite Lock Maple Supreme Raw Rapid Void Congress Muscle Digital Elegant",
        "Rapid Void",
    ),
]
SPOKEN = [
    ("my PIN is four seven one nine", "four seven one nine"),
    ("the PIN of my bank card is one-nine-eight-two", "one-nine-eight-two"),
    ("PIN: nine nine zero two", "nine nine zero two"),
    ("My card's pin is forty-seven nineteen", "forty-seven nineteen"),
    ("the pin is double four seven one", "four seven one"),
    ("my phone's pin code is five oh eight two", "five oh eight two"),
    ("meine PIN ist vier sieben eins neun", "vier sieben eins neun"),
    ("Die PIN lautet fünf null acht zwei.", "fünf null acht zwei"),
    ("mi PIN es cuatro siete uno nueve", "cuatro siete uno nueve"),
    ("el pin de la tarjeta: cinco, cero, ocho, dos", "cinco, cero, ocho, dos"),
    ("mon code PIN est quatre sept un neuf", "quatre sept un neuf"),
    ("le pin de ma carte : cinq zéro huit deux", "cinq zéro huit deux"),
    ("remember my CVV: three zero eight", "three zero eight"),
]
SWAPPED = [
    ("p4ssw0rd: hunter2x9", "hunter2x9"),
    ("pa$$word = bluefox77", "bluefox77"),
    ("my passw0rd is Tr0ub4dor", "Tr0ub4dor"),
    ("P@ssword: maple!river7", "maple!river7"),
    ("p@55w0rd: maple7river", "maple7river"),
    ("pa55word maple7river", "maple7river"),
    ("s3cret = maple7river", "maple7river"),
    ("c0ntraseña: girasol88", "girasol88"),
    ("P4sswort: tulpe4711x", "tulpe4711x"),
    ("ｐａｓｓｗｏｒｄ：himawari88", "himawari88"),
    ("p\u0430ssw\u043erd: hunter2x9", "hunter2x9"),  # two Cyrillic letters
    ("the p*ssword is hunter2x9", "hunter2x9"),
    ("api_k3y = 9f8a7s6d5f4g3h2j", "9f8a7s6d5f4g3h2j"),
]
GROUPED = [
    ("recovery code: 7712 0934 5581", "0934 5581"),
    ("my backup code is 1234 5678", "5678"),
    ("Wiederherstellungscode für Google: 7712 0934 5581", "7712"),
    ("mein Notfallcode ist 771209", "771209"),
    ("Notfallcodes: 4821-9930, 1189-2204", "1189-2204"),
    ("säkerhetskod: 771209", "771209"),
    ("código de recuperación: 7712 0934 5581", "7712 0934"),
    ("code de récupération : 7712 0934 5581", "5581"),
    ("kod odzyskiwania: 7712 0934", "0934"),
    ("回復コードは 7712-0934 です", "7712-0934"),
    ("恢复码：7712-0934-8812", "8812"),
    ("복구 코드: 7712-0934", "7712-0934"),
]
COMMANDS = [
    ("sshpass -p 'mond licht 66!' ssh box", "mond licht 66!"),
    ('docker login -u ana -p "kies weg 4" r.example.com', "kies weg 4"),
    ("redis-cli -a kupferkanne88 ping", "kupferkanne88"),
    ("net use * \\\\srv\\share /user:ana Pa55-Otter9", "Pa55-Otter9"),
    ("net use * \\\\srv\\share Pa55-Otter9 /user:ana", "Pa55-Otter9"),
]
IN_OTHER_WORDS = [
    ("Die Geheimzahl der Karte ist acht drei null fünf", "drei null fünf"),
    ("o pin do cartão é sete dois cinco um", "dois cinco um"),
    ("PIN-koodi on neljä viisi kuusi seitsemän", "viisi kuusi"),
    ("mã pin là một hai ba bốn", "hai ba bốn"),
    ("ο κωδικός pin είναι τέσσερα δύο ένα εννέα", "δύο ένα"),
    ("PIN 핀번호는 일 이 삼 사", "이 삼 사"),
]
BEFORE = [
    ("hunter2x9 is the wifi password", "hunter2x9"),
    ("Sunflower88 is our Wi-Fi key", "Sunflower88"),
    ("BlueLagoon42 is the key for the guest wifi", "BlueLagoon42"),
    ("bluelagoon42 – das ist das WLAN-Passwort", "bluelagoon42"),
    ("Tulpe4711x ist der WLAN-Schlüssel", "Tulpe4711x"),
    ("tangerine8 es la clave del wifi", "tangerine8"),
    ("tangerine8, c'est la clé du wifi", "tangerine8"),
    ("tangerine8 è la password del wifi", "tangerine8"),
    ("tangerine8 é a senha do wifi", "tangerine8"),
    ("tangerine8がWi-Fiのパスワードです", "tangerine8"),
    ("tangerine8是我家的wifi密码", "tangerine8"),
    ("use hunter2x9 as the password for the wifi", "hunter2x9"),
]
HAND_SECRETS = [
    Case(kind, text, secret)
    for kind, cases in {
        "encoded": ENCODED,
        "spaced": SPACED,
        "seed": SEEDS,
        "spoken": SPOKEN,
        "swapped": SWAPPED,
        "before": BEFORE,
        "grouped": GROUPED,
        "other words": IN_OTHER_WORDS,
        "commands": COMMANDS,
    }.items()
    for text, secret in cases
]

HAND_LOOK_ALIKES = """
pin code of the area 560001
The pin code of my area is 560034, so deliver there
Bangalore pin code 560034
delivery pincode: 110001
our office is in Pune, pincode 411045
The zip code is 94110
unsere PLZ ist 80331
mon code postal est 75011
el código postal de mi barrio es 28013
o CEP da minha rua é 01310-100
郵便番号は150-0001です
邮编是200040
the area code is 415
the country code is 49
error code 4471 means that the paper is out
the exit code was 137
course code CS101 starts in autumn
the flight code is LH1234
the colour code of the wall is #ff8800
the bar code is 4006381333931
the product code is 5512
der Fehlercode ist 4471
el código de error es 4471
le code couleur est 4471
the code name of the project is Falcon9
the dress code is smart casual
our code of conduct has twelve pages
the PIN has four digits
a PIN is four to six digits long
die PIN hat vier Stellen
la PIN tiene cuatro cifras
le code PIN a quatre chiffres
pin one and pin two are ground, pin three is the signal
connect pin four to pin seven of the chip
pin two three and four together with a clip
I pinned five notes to the board
my lucky numbers are four seven one nine
vier sieben eins neun sind meine Glückszahlen
cuatro, siete, uno, nueve: así empieza la canción
the wifi password is on the fridge
ask Ana for the wifi password
hunter2x9 is my username on the forum
hunter2x9 has been on the wifi since Monday
Model7 is the wifi router that we bought
the wifi key is printed under the router
das WLAN-Passwort steht auf dem Router
la clave del wifi está en la nevera
la clave del éxito es trabajar
le mot de passe est sur le frigo
I forgot the pass phrase again
a pass phrase should have at least four words
the pass word game is on at eight
a pass, a word and a smile
She gave a pass to phrase books
auth: basic is not enough for us
the auth method is oauth2
"auth": "none"
"auth": "required"
auth = cookie-based
the file decodes to aGVsbG8gd29ybGQgYW5kIGFsbA==
milk bread eggs butter cheese apples rice pasta salt sugar coffee tea
buy eggs, milk, bread, butter, rice, salt, sugar, coffee, tea, soap, paper, fish, onion, lemon
they always said that this would never happen here again unless people change their minds
we can still hope that you will find your own way there before winter
one two three four five six seven eight nine ten eleven twelve
wave wave wave wave wave wave wave wave wave wave wave wave wave wave
monday tuesday wednesday thursday friday saturday sunday monday tuesday wednesday thursday friday
red orange yellow green blue purple black white pink brown grey gold
january february march april may june july august september october november december
p4ssw0rd is how children write password
passw0rds with zeros are weak
the s3cret club meets on Friday
his login is t0ken_collector
the p@ssword field must not be empty
pa$$ the salt
the key of the song is C sharp minor
clé USB de 64 Go
ein Schlüssel der Größe 13
the token budget is 4000
seed potatoes: twelve rows of early ones
the secret of her soup is fresh thyme
la frase de paso a paso me gusta
口令很简单，大家都知道
パスワードを忘れました
la parola d'ordine è pazienza
the dial code is 351 912 345 678
the code 2024 2025 season
the product code is 4006 3813 3393
code 1111 2222 3333 of the error log
order code 4471 9920 1111
order number 4471-9920-11
bir iki üç dört çocuk vardı
four eight one nine street
docker run -p 5432:5432 postgres
password: (leave empty)
password=os.environ["DB_PASSWORD"]
password: ${DB_PASSWORD}
the backup codes are in the safe
""".strip().splitlines()

PLACE_CODES = [
    ("the garage code is 5512", "5512"),
    ("the alarm code is 4471", "4471"),
    ("gate code: 0927#", "0927"),
    ("The code for the front door is 4471", "4471"),
    ("the code of our building is 2580", "2580"),
    ("the code to grandma's house is 258012", "258012"),
    ("the door code of the holiday flat is 5523", "5523"),
    ("lockbox code 3382", "3382"),
    ("The code word for the depot is pelican.", "pelican"),
    ('warehouse code word: "albatross"', "albatross"),
    ("my locker combination is 12-34-56", "12-34-56"),
    ("the PIN for the garage door is 7741", "7741"),
    ("der Code für die Garage ist 5512", "5512"),
    ("Türcode 4711", "4711"),
    ("der Code der Alarmanlage lautet 9021", "9021"),
    ("le code du portail est 4471", "4471"),
    ("le code de l'immeuble : 45A89", "45A89"),
    ("le digicode, c'est 45A89", "45A89"),
    ("el código del portal es 4471", "4471"),
    ("el código de la alarma: 9021", "9021"),
    ("il codice del cancello è 3391", "3391"),
    ("o código da garagem é 5512", "5512"),
    ("車庫の暗証番号は5512です", "5512"),
    ("车库的密码是5512", "5512"),
]
"""Codes of one's own places: by default kept, and hidden where the text is shown."""
