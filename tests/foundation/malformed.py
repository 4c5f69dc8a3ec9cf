"""Every variable with values it cannot have: what a person may plausibly set, and what nobody should."""

from __future__ import annotations

LONG = "x" * 4097
# For what travels in a header or signs one: keys, ids, names of models.
_WORDS = [
    "sk live hunter2hunter2",
    "sk-hunter2\nX-Evil: 1",
    "sk-hunter2\x00",
    "sk-hünter2hunter2",
    "sk-\udcffhunter2",
    LONG,
]
# For what is only read here: any text that fits on a line.
_LINES = ["hunter2hunter2\nX-Evil: 1", "hunter2\x1b[2J", "hunter2\udcff", LONG]
_SWITCHES = ["perhaps", "2", "tru", "on off", "ｔrue", "-1"]
_COUNTS = ["many", "0", "-1", "1.5", "1e3", "1_000", "٣", "0x10", "9" * 19, "9" * 5000, "NaN"]
_WEB_ADDRESSES = [
    *("openrouter.ai", "ftp://files.example", "https://", "http://[", "https://:4000", "https://a.example:0"),
    *(
        "https://a.example:70000",
        "https://a b.example",
        "https://a..example",
        "https://ada:hunter2@a.example",
    ),
    *(
        "https://a.example/v1?key=hunter2",
        "https://a.example/#hunter2",
        "https://müller.example",
        "https://" + LONG,
    ),
    *("https://a.example\n/v1", "javascript:alert(1)", "//a.example", "https://a.example\\@b.example"),
]
_MODELS = ["google / gemini", "google\n/gemini", "modèle", "m" * 201, "\x7f"]

MALFORMED: dict[str, list[str]] = {
    "PORT": ["http", "0", "-4000", "70000", "4000.0", "4_000", "0x50", "80 80", "9" * 5000],
    "DATABASE_URL": [
        *(
            "mysql://u:hunter2@h/x",
            "localhost/root",
            "postgresql://u:hunter2@[::bad/x",
            "postgresql://localhost",
        ),
        *("postgresql://u:hunter2@h/x?sslmod=require", "postgresql://u:hunter2@h/x?sslmode=mostly"),
        *(
            "postgresql://u:hunter2@h:port/x",
            "postgresql://u:hunter2@h:99999/x",
            "postgresql://u:hunter2%00@h/x",
        ),
        *(
            "postgresql://u:hunter2@h/x?connect_timeout=soon",
            "postgresql://u:hunter2@h\n/x",
            "postgresql://h/" + LONG,
        ),
    ],
    "REDIS_URL": [
        *(
            "localhost",
            "localhost:6379",
            "http://h",
            "redis://",
            "redis://:hunter2@x:bad/0",
            "redis://:hunter2@h:0/0",
        ),
        *(
            "redis://:hunter2@h/first",
            "redis://:hunter2@h?db=one",
            "redis://h?colour=hunter2",
            "unix://",
            "unix:///",
        ),
        *("redis://:hunter2\n@h/0", "redis://" + LONG),
    ],
    "NODE_ENV": ["staging", "Production", "prod", "test", "production;"],
    "ROOT_RUN_WORKERS": _SWITCHES,
    "ROOT_HOME": ["/tmp/a\nb", "/tmp/\x1b[2J", "/tmp/\udcff", LONG],
    "OPENROUTER_API_KEY": _WORDS,
    "OPENROUTER_BASE_URL": _WEB_ADDRESSES,
    "OPENROUTER_PROVIDER_PREFERENCES": [
        *("{", "[1]", "null", '"order"', "{'order': []}", '{"x": NaN}', '{"x": Infinity}', '{"x": 1e999}'),
        *('{"x": "\\ud800"}', "[" * 4000, '{"x": "\x1b"}', '{"x": "' + LONG + '"}'),
    ],
    "OPENROUTER_TITLE": ["Café Root", "Root\r\nX-Evil: 1", "Root\x00", "Root\udcff", LONG],
    "LLM_MODEL_DEFAULT": _MODELS,
    "LLM_MODEL_PLANNER": _MODELS,
    "LLM_MODEL_SEARCH": _MODELS,
    "LLM_MODEL_WRITING": _MODELS,
    "LLM_MODEL_REASONING": _MODELS,
    "LLM_MODEL_VISION": _MODELS,
    "LLM_MODEL_IMAGE_GENERATION": _MODELS,
    "LLM_MODEL_WEB_RESEARCH": _MODELS,
    "LLM_MODEL_WORK_SAVED": _MODELS,
    "LLM_TEMPERATURE": ["warm", "-0.1", "2.1", "nan", "inf", "0,7", "1e0", "1_0"],
    "LLM_MAX_TOKENS": [*_COUNTS, "1000001"],
    "LLM_AGENT_REASONING_EFFORT": ["enormous", "Medium", "low high"],
    "PERPLEXITY_API_KEY": _WORDS,
    "PERPLEXITY_BASE_URL": _WEB_ADDRESSES,
    "OPIK_API_KEY": _WORDS,
    "OPIK_PROJECT_NAME": _LINES,
    "SLACK_API_URL": _WEB_ADDRESSES,
    "SLACK_BOT_TOKEN": _WORDS,
    "SLACK_SIGNING_SECRET": _WORDS,
    "PLATFORM_BASE_URL": [
        *_WEB_ADDRESSES,
        "root.example",
        "https://root.example/app",
        "https://root.example?x=1",
    ],
    "PLATFORM_EMAIL_DOMAIN": [
        *(
            "mail",
            "@mail.example",
            "ada@mail.example",
            "https://mail.example",
            "mail..example",
            "-mail.example",
        ),
        *(
            "mail.example.",
            "mail example.com",
            "mail_1.example",
            "10.0.0.1",
            "m" * 64 + ".example",
            "mail.\nexample",
        ),
    ],
    "PRIMITIVE_API_KEY": _WORDS,
    "PRIMITIVE_WEBHOOK_SECRET": _WORDS,
    "PRIMITIVE_API_URL": _WEB_ADDRESSES,
    "POSTMARK_SERVER_TOKEN": _WORDS,
    "POSTMARK_API_URL": _WEB_ADDRESSES,
    "STYTCH_PROJECT_ID": _WORDS,
    "STYTCH_SECRET": _WORDS,
    "SESSION_COOKIE_SECRET": [*_LINES, "h", "hunter2", "x" * 31, "x" * 31 + "\n"],
    "PLATFORM_SIGNUP_CODE": _LINES,
    "AUTH_DEV_BYPASS": _SWITCHES,
    "SEARCH_LLM_RERANK": _SWITCHES,
    "SEARCH_KEYWORD_RANK": ["tf", "BM25", "bm25 spec"],
    "SLACK_THREAD_ARTIFACTS": _SWITCHES,
    "ROOT_MAX_KNOWLEDGE_SOURCES_PER_TENANT": [value for value in _COUNTS if value != "0"],
    "ROOT_MIN_KNOWLEDGE_SYNC_INTERVAL_MINUTES": [*_COUNTS, "43201"],
    "ROOT_KNOWLEDGE_SYNC_PER_TENANT_CAP": _COUNTS,
    "ROOT_SLACK_INGEST_PER_TENANT_PER_MINUTE": _COUNTS,
    "ROOT_QUEUE_ALERT_DEPTH": _COUNTS,
    "ROOT_QUEUE_ALERT_LAG_SECONDS": [*_COUNTS, "1000000001"],
    "ROOT_QUEUE_ALERT_FAILURES": _COUNTS,
    "ROOT_OFFLINE_MODEL": _SWITCHES,
    "ROOT_ALLOW_PRIVATE_HOSTS": _SWITCHES,
    "ROOT_DB_POOL_SIZE": [*_COUNTS, "1", "501"],
    "ROOT_TURN_WORKERS": [*_COUNTS, "2001"],
    "ROOT_CHANNEL_TURNS_CONCURRENCY": [*_COUNTS, "201"],
}
