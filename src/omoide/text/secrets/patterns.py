"""What keys and tokens look like: kinds and patterns, as their issuers document them. Data only.

A pattern of ``SHAPES`` is matched where a run of ASCII letters, digits, ``_``, ``-`` and ``.``
begins, so it needs no word boundary and works beside text of any script. Every pattern takes a
bounded prefix and then one greedy class, so matching is linear.
"""

from __future__ import annotations

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_B58 = r"[1-9A-HJ-NP-Za-km-z]"

SHAPES: tuple[tuple[str, str], ...] = (
    # code hosts and builds
    ("github-token", r"gh[pousr]_[A-Za-z0-9_.-]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    (
        "gitlab-token",
        r"gl(?:pat|dt|ft|soat|rtr?|cbt|ptt|agent|oas|ffct|imt|wt)-[\w.-]{16,}|GR1348941[\w-]{16,}",
    ),
    ("bitbucket-token", r"ATBB[A-Za-z0-9_-]{20,}"),
    ("atlassian-token", r"AT(?:ATT|CTT|STT)3[\w=-]{20,}"),
    ("sourcegraph-token", r"sg[pld]_[A-Za-z0-9_]{20,}"),
    ("buildkite-token", r"bk(?:ua|at|ct|pt)_[A-Za-z0-9_-]{16,}"),
    ("circleci-token", r"CCI(?:PAT|PRJ)_[A-Za-z0-9_-]{20,}"),
    ("sonar-token", r"sq[upa]_[0-9a-f]{30,}"),
    ("postman-key", r"PMAK-[0-9a-f]{20,}(?:-[0-9a-f]{20,})?"),
    ("artifactory-key", r"AKCp[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{50,}"),
    ("octopus-key", r"API-[A-Z0-9]{25,30}(?![\w-])"),
    # package registries
    ("npm-token", r"npm_[A-Za-z0-9]{20,}"),
    ("pypi-token", r"pypi-AgE[\w-]{16,}"),
    ("rubygems-key", r"rubygems_[0-9a-f]{30,}"),
    ("docker-token", r"dckr_[po]at_[\w-]{16,}"),
    ("crates-token", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("nuget-key", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("clojars-token", r"CLOJARS_[a-z0-9]{40,}"),
    # models
    ("anthropic-key", r"sk-ant-[\w-]{16,}"),
    ("openrouter-key", r"sk-or-[\w-]{20,}"),
    ("openai-key", r"sk-(?:proj|svcacct|admin|None|lf|let|litellm)-[\w-]{16,}|sk-[A-Za-z0-9]{20,}"),
    ("openai-session", r"sess-[A-Za-z0-9]{30,}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}"),
    ("replicate-token", r"r8_[A-Za-z0-9]{20,}"),
    ("groq-key", r"gsk_[A-Za-z0-9]{20,}"),
    ("xai-key", r"xai-[A-Za-z0-9_-]{30,}"),
    ("perplexity-key", r"pplx-[A-Za-z0-9]{30,}"),
    ("nvidia-key", r"nvapi-[\w-]{30,}"),
    ("cerebras-key", r"csk-[A-Za-z0-9]{30,}"),
    ("together-key", r"tgp_v1_[\w-]{20,}"),
    ("fireworks-key", r"fw_[A-Za-z0-9]{20,}"),
    ("voyage-key", r"pa-[\w-]{40,}"),
    ("jina-key", r"jina_[\w-]{30,}"),
    ("tavily-key", r"tvly-[\w-]{20,}"),
    ("firecrawl-key", r"fc-[0-9a-f]{32}(?![\w-])"),
    ("e2b-key", r"e2b_[0-9a-f]{30,}"),
    ("langsmith-key", r"lsv2_(?:pt|sk)_[0-9a-f_]{20,}"),
    ("pinecone-key", r"pcsk_[A-Za-z0-9_]{20,}"),
    ("mem0-key", r"m0-[A-Za-z0-9]{30,}"),
    ("zhipu-key", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])"),
    # clouds
    (
        "aws-key",
        r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/]{60,}={0,2}",
    ),
    ("aws-mws-token", r"amzn\.mws\." + _UUID),
    ("aws-bedrock-key", r"bedrock-api-key-[A-Za-z0-9+/=_-]{20,}"),
    ("google-key", r"AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|AQ\.Ab[\w-]{30,}"),
    ("google-token", r"ya29\.[\w.-]{20,}|(?<=1//)0[\w-]{30,}"),
    ("firebase-key", r"APA91b[\w-]{60,}"),
    ("azure-secret", r"(?<=[0-9]Q~)[\w.~-]{30,}"),
    (
        "azure-secret",
        r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[\w-]{44}Az(?:Fu|Se|Ca)[\w-]{4,8}={0,2})",
    ),
    ("alibaba-key", r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    ("tencent-key", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    (
        "yandex-key",
        r"AQVN[\w-]{35,}|t1\.[\w-]{20,}={0,2}\.[\w-]{40,}={0,2}|YC[A-Za-z0-9_-]{38}(?![\w-])",
    ),
    ("digitalocean-token", r"do[opr]_v1_[0-9a-f]{40,}"),
    ("heroku-key", r"HRKU-[\w-]{20,}"),
    ("cloudflare-token", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}|cf(?:ut|at|k)_[A-Za-z0-9_-]{30,}"),
    ("netlify-token", r"nf[pocub]_[A-Za-z0-9]{30,}"),
    ("vercel-token", r"vc[piark]_[A-Za-z0-9]{20,}"),
    ("fly-token", r"fo1_[\w-]{30,}|fm[12][ar]?_[A-Za-z0-9+/_-]{30,}={0,2}"),
    ("render-key", r"rnd_[A-Za-z0-9]{20,}"),
    ("supabase-key", r"sbp_[0-9a-f_]{30,}|sb_secret_[\w-]{20,}"),
    ("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{20,}"),
    ("neon-key", r"napi_[a-z0-9]{40,}"),
    ("databricks-token", r"dapi[0-9a-f]{32}(?:-[0-9])?|dose[0-9a-f]{32}"),
    ("scaleway-key", r"SCW[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("contentful-token", r"CFPAT-[\w-]{30,}"),
    # secret stores and infrastructure
    ("vault-token", r"hv[sbr]\.[\w-]{20,}|s\.[A-Za-z0-9]{24}(?![\w.])"),
    ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}"),
    ("doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}"),
    ("pulumi-token", r"pul-[0-9a-f]{30,}"),
    ("infracost-key", r"ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("openshift-token", r"(?<=sha256~)[\w-]{43}"),
    ("1password-key", r"A3-[A-Z0-9]{6}-[A-Z0-9-]{20,40}|ops_eyJ[A-Za-z0-9+/_-]{60,}={0,2}"),
    ("tailscale-key", r"tskey-[\w-]{16,}"),
    ("ngrok-token", r"[12][A-Za-z0-9]{26}_[A-Za-z0-9]{20,22}(?![\w-])"),
    ("prefect-key", r"pn[ub]_[A-Za-z0-9]{30,}"),
    ("launchdarkly-key", r"(?:sdk|api|mob)-" + _UUID),
    ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    # watching
    ("grafana-token", r"gl(?:c|sa)_[A-Za-z0-9_+/]{20,}={0,2}|eyJrIjoi[A-Za-z0-9]{30,}={0,2}"),
    ("newrelic-key", r"NR(?:AK|II|JS|AA|RA|BR)-[A-Za-z0-9_-]{16,}"),
    ("dynatrace-token", r"dt0[a-z][0-9]{2}\.[A-Za-z0-9]{20,}\.[A-Za-z0-9]{40,}"),
    ("sentry-token", r"sntry[su]_[A-Za-z0-9+/_=-]{30,}"),
    ("posthog-key", r"ph[xs]_[A-Za-z0-9]{30,}"),
    # messages and mail
    ("slack-token", r"xox[a-z](?:\.xox[a-z])?-[\w.-]{10,}|xapp-[0-9]-[\w-]{20,}"),
    ("discord-token", r"[MNO][A-Za-z0-9_-]{22,28}\.[\w-]{5,7}\.[\w-]{25,}|mfa\.[\w-]{20,}"),
    ("telegram-token", r"(?<=[0-9]{6}:)A[\w-]{34,}"),
    ("twilio-key", r"SK[0-9a-fA-F]{32}(?![A-Za-z0-9])"),
    ("sendgrid-key", r"SG\.[\w-]{10,}\.[\w-]{10,}"),
    (
        "mailgun-key",
        r"key-[0-9a-z]{32}(?![A-Za-z0-9])|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])",
    ),
    ("mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])|md-[\w-]{22}(?![\w-])"),
    ("brevo-key", r"x(?:keysib|smtpsib)-[\w-]{40,}"),
    ("resend-key", r"re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}|re_[A-Za-z0-9]{24,}"),
    ("twitter-token", r"A{18,}[A-Za-z0-9%_-]{40,}"),
    ("facebook-token", r"EAA[A-Z][A-Za-z0-9]{40,}|IGQ[A-Za-z0-9_-]{60,}"),
    ("twitch-token", r"(?<=oauth:)[a-z0-9]{30}(?![A-Za-z0-9])"),
    # money
    ("stripe-key", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,}={0,2}"),
    ("square-token", r"sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{22,}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{20,}"),
    ("plaid-token", r"access-(?:sandbox|development|production)-" + _UUID),
    ("razorpay-key", r"rzp_(?:live|test)_[A-Za-z0-9]{12,}"),
    ("easypost-key", r"EZ[AT]K[0-9a-zA-Z]{40,}"),
    ("flutterwave-key", r"FLW(?:SECK|PUBK)(?:_TEST|_LIVE)?-[A-Za-z0-9-]{12,}"),
    ("adyen-key", r"AQE[A-Za-z0-9+/=_.-]{60,}"),
    ("shippo-token", r"shippo_(?:live|test)_[0-9a-f]{30,}"),
    ("duffel-token", r"duffel_(?:live|test)_[\w=-]{30,}"),
    # work
    ("notion-token", r"ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{30,}"),
    ("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("airtable-token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}"),
    ("asana-token", r"(?<=[0-9]/)(?:[0-9]{10,19}/)?[0-9]{10,19}:[0-9a-f]{32}"),
    ("figma-token", r"fig(?:d|o|or|ur|u|dr)_[\w-]{20,}"),
    ("hubspot-token", r"pat-[a-z]{2}[0-9]-" + _UUID),
    ("dropbox-token", r"sl\.[\w-]{30,}"),
    ("typeform-token", r"tfp_[\w=.-]{30,}"),
    ("mapbox-token", r"[st]k\.eyJ[\w-]{20,}\.[\w-]{16,}"),
    ("readme-key", r"rdme_[a-z0-9]{40,}"),
    ("adobe-secret", r"p8e-[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("okta-token", r"00(?=[\w-]{0,38}[a-z][A-Z])[A-Za-z0-9][\w-]{39}(?![\w-])"),
    ("clickhouse-key", r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])"),
    (
        "authress-key",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}",
    ),
    ("defined-token", r"dnkey-[\w=-]{26,}"),
    ("harness-key", r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ("42-secret", r"s-s4t2(?:ud|af)-[0-9a-f]{64}"),
    ("maxmind-key", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("settlemint-token", r"sm_[aps]at_[A-Za-z0-9]{16}"),
    ("lob-key", r"(?:live|test)_[0-9a-f]{35}(?![A-Za-z0-9])"),
    ("frameio-token", r"fio-u-[\w=-]{20,}"),
    ("scalingo-token", r"tk-us-[\w-]{20,}"),
    # money without a bank
    (
        "wallet-key",
        rf"5[HJK]{_B58}{{49}}(?![A-Za-z0-9])|[KL]{_B58}{{51}}(?![A-Za-z0-9])|[xyztuv]prv{_B58}{{90,}}",
    ),
    (
        "wallet-key",
        rf"nsec1[a-z0-9]{{50,}}|suiprivkey1[a-z0-9]{{50,}}|edsk{_B58}{{50,}}|S[A-Z2-7]{{55}}(?![A-Za-z0-9])",
    ),
    # shapes without an issuer
    (
        "private-key",  # -----BEGIN … PRIVATE, in base64
        r"LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFUR|BQUklWQVRF|BFQyBQUklWQVRF|BPUEVOU1NI|BFTkNSWVBURUQ|BEU0EgUFJJVkFUR)"
        r"[A-Za-z0-9+/]{12,}={0,2}",
    ),
    (
        "encoded-password",  # {"auths": in base64, as container registries are told it
        r"(?:eyJhdXRocyI6|eyAiYXV0aHMiO|ewogICJhdXRocyI6|ewogICAgImF1dGhzIj|ewoJImF1dGhzIj)[A-Za-z0-9+/_-]{20,}={0,2}",
    ),
    (
        "jwt",
        r"ZXlK[A-Za-z0-9+/_-]{60,}={0,2}|(?<![A-Za-z0-9])eyJ[\w-]{8,}={0,2}\.[\w-]{8,}={0,2}(?:\.[\w-]*={0,2}){0,3}",
    ),
    ("recovery-key", r"[0-9]{6}(?:-[0-9]{6}){7}(?![\w-])|[A-Z0-9]{4}(?:-[A-Z0-9]{4}){5}(?![\w-])"),
    ("license-key", r"[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![\w-])"),
)

# What stands left of a shape that starts inside its secret, and belongs to it.
LEFT_OF: dict[str, str] = {
    "telegram-token": r"[0-9]{6,12}:\Z",
    "azure-secret": r"[\w.~-]{3}[0-9]Q~\Z",
    "google-token": r"1//\Z",
    "asana-token": r"[0-9]/\Z",
    "openshift-token": r"sha256~\Z",
}

# Kinds that nothing else looks like by chance, so that not even an id may be one.
ID_KINDS = frozenset(
    "github-token gitlab-token atlassian-token npm-token pypi-token docker-token anthropic-key"
    " openrouter-key openai-key huggingface-token replicate-token groq-key xai-key nvidia-key"
    " langsmith-key aws-key google-key google-token digitalocean-token databricks-token"
    " grafana-token slack-token telegram-token sendgrid-key stripe-key shopify-token linear-key jwt"
    " private-key age-key password url-password".split()
)

# Segments that make "<segment>_<random>" a secret whoever issued it.
SECRET_SEGMENTS = frozenset(
    "sk rk pat key apikey secret token tok api live prod production priv private pw pwd passwd auth"
    " access refresh svc sa whsec bot oauth rt at jwt bearer session cred credential signing admin"
    " service".split()
)
# Segments of ids that are meant to be seen, whatever stands beside them.
PUBLIC_SEGMENTS = frozenset(
    "pk pub public publishable id sha md5 hash commit order build run img file".split()
)

_TYPE_IT = (
    r"[a-z]{3,5} (?:the )?(?:code )?([0-9]{4,8}|[0-9]{3}[ -][0-9]{3}) to "
    r"(?:verify|confirm|log|sign|complete|reset|access|auth|unlock|continue)"
)
_TOTP = (
    r"[a-z2]{3}[^\n]{0,24}?(?<![A-Za-z0-9])(?=[A-Z -]{0,99}[2-7])"
    r"([A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![A-Za-z0-9])"
)

# Secrets that need more than a run: a trigger in the lower-cased text, and a pattern that is
# matched where the trigger
# begins, without regard to case. The secret is group 1, or all of it.
BLOCKS: tuple[tuple[str, str, str], ...] = (
    ("://", "url-password", r"://[^\s/?#@:]{0,128}:([^\s/]{1,256})@"),
    ("bearer", "bearer-token", r"bearer[\s:]{1,4}[\"']?([A-Za-z0-9_.~+/=-]{12,})"),
    ("basic", "basic-auth", r"basic[\s:]{1,4}[\"']?([A-Za-z0-9+/]{8,}={0,2})"),
    (
        "auth",
        "encoded-password",
        r"auth[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9+/]{8,}={0,2})(?![\w+/=-])",
    ),
    ("enter ", "one-time-code", _TYPE_IT),
    ("use ", "one-time-code", _TYPE_IT),
    ("2fa", "totp-secret", _TOTP),
    ("otp", "totp-secret", _TOTP),
    ("authenticator", "totp-secret", _TOTP),
    ("setup key", "totp-secret", _TOTP),
    ("wifi:", "wifi-password", r"wifi:(?:[a-oq-z]:[^;\n]{0,64};){0,4}P:((?:\\.|[^;\\\n]){1,64})"),
    ("access_token$", "paypal-token", r"access_token\$(?:production|sandbox)\$([\w$-]{16,})"),
    (
        "$",
        "password-hash",
        r"\$(?:2[abxy]?|5|6|7|y|gy|argon2(?:id|i|d)|apr1|1|pbkdf2-sha(?:256|512))\$[A-Za-z0-9./$=,+-]{20,}",
    ),
    (
        "private-lines:",
        "private-key",
        (
            r"private-lines:"
            r" ?[0-9]{1,4}\s{1,4}([A-Za-z0-9+/=]{16,}(?:\s{1,2}[A-Za-z0-9+/=]{16,}){0,200})"
        ),
    ),
    ("snmp-server community ", "password", r"snmp-server community (?!public\b)(\S{3,64})"),
    (" key ", "password", r" key (?:[0-7] )?(\S{4,64}) address [0-9]"),
    (":5432:", "password", r":5432:[^\s:]{1,64}:[^\s:]{1,64}:(\S{3,128})"),
    (
        "networkcredential(",
        "password",
        r"networkcredential\(\s{0,4}\"[^\"\n]{1,64}\",\s{0,4}\"([^\"\n]{1,128})\"",
    ),
    ("jdbc:oracle:", "url-password", r"jdbc:oracle:\w{1,8}:[\w$#]{1,64}/([^\s@/]{1,128})@"),
    ("_salt", "secret", r"_salt[\"']\s{0,2},\s{0,2}[\"']([^\"'\n]{16,128})[\"']"),
    ("django-insecure-", "secret", r"django-insecure-([^\s\"']{20,})"),
    ("pragma key", "password", r"pragma key\s{0,3}=\s{0,3}[\"']([^\"'\n]{1,256})"),
)

# of a flag; in quotes it may have blanks
_VALUE = r"[\"']?((?<=\")[^\"\n]{3,128}(?=\")|(?<=')[^'\n]{3,128}(?=')|[^\s\"']{3,128})"
# Commands whose flags carry a password: the tool, and the flag with the password as group 1.
COMMANDS: tuple[tuple[str, str], ...] = (
    ("curl", r"\s(?:-u|--user|--proxy-user)[ =]?\"[^\s:\"]{1,64}:([^\"\n]{1,128})\""),
    ("curl", r"\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,64}:([^\s\"']{1,128})"),
    ("wget", r"\s--(?:http-|ftp-|proxy-)?password[ =][\"']?([^\s\"']{1,128})"),
    ("mysql", r"\s-p([^\s\"'-][^\s\"']{3,127})"),
    ("mongo", r"\s(?:-p|--password)[ =]?[\"']?([^\s\"'-][^\s\"']{3,127})"),
    ("sshpass", r"\s-p ?" + _VALUE),
    ("docker login", r"\s-p[ =]" + _VALUE),
    ("redis-cli", r"\s-a[ =]" + _VALUE),
    ("smbclient", r"\s-U[ =]?[\"']?[^\s%\"']{1,64}%([^\s\"']{1,128})"),
    ("openssl", r"\s-(?:pass(?:in|out)? pass:|k )[\"']?([^\s\"']{1,128})"),
    ("htpasswd", r"\s-[a-zA-Z]{0,4}b[a-zA-Z]{0,4} (?:\S{1,128} )?\S{1,64} ([^\s\"']{3,128})"),
    ("net use", r"\s([^\s\"'/\\*:][^\s\"']{3,127})\s{1,4}/user:"),
    ("net use", r"/user:\S{1,64}\s{1,4}([^\s\"'/*][^\s\"']{3,127})"),
    ("sqlplus", r"\s[\w$#]{1,64}/\"?([^\s@/\"]{3,128})\"?(?=@|\s|\Z)"),
    ("snmp", r"\s-c ?(?!public(?!\S))(\S{3,128})"),
    ("zip", r"\s-P[ =]?[\"']?([^\s\"'-][^\s\"']{3,127})"),
    ("7z", r"\s-p[\"']?([^\s\"'-][^\s\"']{3,127})"),
    ("az login", r"\s-p[ =]" + _VALUE),
    ("keytool", r"\s-(?:src|dest)?(?:store|key)pass[ =]" + _VALUE),
    (
        "echo",
        r"\s(?:-n )?[\"']?([^\s\"'|]{3,128})[\"']? \| [^|\n]{0,80}(?:sudo -S|-stdin|--with-token)",
    ),
    ("echo", r"\s[\"']?[\w.-]{1,32}:([^\s\"'|]{3,128})[\"']? \| [^|\n]{0,40}chpasswd"),
    ("ldapsearch", r"\s-w ?" + _VALUE),
    ("lftp", r"\s-u [\"']?[^\s,\"']{1,64},([^\s\"']{3,128})"),
    ("http", r"\s(?:-a|--auth)[ =][\"']?[^\s:\"']{1,64}:([^\s\"']{3,128})"),
    ("freerdp", r"\s/p:" + _VALUE),
    ("cmdkey", r"\s/pass:" + _VALUE),
    ("ipmitool", r"\s-P " + _VALUE),
    ("mosquitto", r"\s-P " + _VALUE),
    ("ssh-keygen", r"\s-[NP] " + _VALUE),
)

# Payment cards by their first digits and length; the check digit is verified by the code.
CARD = (
    r"4[0-9]{15}|4[0-9]{18}|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}|2720[0-9]{12}|3[47][0-9]{13}|"
    r"3(?:0[0-5]|[68][0-9])[0-9]{11}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|35(?:2[89]|[3-8][0-9])[0-9]{12}|"
    r"62[0-9]{14,17}|220[0-4][0-9]{12}|(?:60|81|82|50)[0-9]{14}|9792[0-9]{12}"
)
