"""What each kind of environment variable may hold; a refusal never quotes the value (contract §16)."""

from __future__ import annotations

import json
import math
import re
from typing import Annotated, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import idna
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import AfterValidator, BeforeValidator, SecretStr

LONGEST = 4096
SHORTEST_COOKIE_SECRET = 32
_SWITCHES = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_BREAKS = {ord(char): " " for char in "\n\r\t"}
_WORD = re.compile(r"[\x21-\x7e]+")
_LINE = re.compile(r"[\x20-\x7e]+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.IGNORECASE)
_IPV6 = re.compile(r"[0-9a-f:.]+", re.IGNORECASE)
_PASSWORD = re.compile(r"((?:password|passwd|pwd|secret|token|key)=)([^&\s]*)", re.IGNORECASE)
_TLS_MODES = {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}
_REDIS_OPTIONS = {
    *("db", "virtual_host", "username", "password", "protocol", "health_check_interval"),
    *("ssl_cert_reqs", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"),
}


def sound(value: str, *, lines: bool = False) -> str:
    """Any value at all, without the white space around it that shells and secret files leave."""
    text = value.strip()
    if len(text) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("is not text in UTF-8") from None
    if not (text.translate(_BREAKS) if lines else text).isprintable():
        raise ValueError("holds a line break or another character that cannot be seen")
    return text


def without_passwords(address: str) -> str:
    """An address as it may be shown."""
    return _PASSWORD.sub(r"\1***", re.sub(r"//.*@", "//***@", address, flags=re.DOTALL))


def passwords_in(address: str | None) -> list[str]:
    """The passwords an address carries, as written there and as they are meant."""
    found = [match[2] for match in _PASSWORD.finditer(address or "")]
    found += re.findall(r"//[^/@]*?:([^/]*)@", address or "")
    return [form for word in found if word for form in (word, unquote(word))]


def _switch(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value.lower() not in _SWITCHES:
        raise ValueError("must be true or false (yes, no, on, off, 1 and 0 are taken too)")
    return _SWITCHES[value.lower()]


def _whole_number(value: Any) -> Any:
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError("must be a whole number in digits")
    return value


def _decimal(value: Any) -> Any:
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        raise ValueError("must be a number such as 0.7")
    return value


def _word(value: str) -> str:
    if not _WORD.fullmatch(value):
        raise ValueError("must be plain ASCII without a blank inside")
    return value


def _model(value: str) -> str:
    if not _WORD.fullmatch(value) or len(value) > 200:
        raise ValueError("must be the name of a model: plain ASCII without a blank, at most 200 characters")
    return value


def _line(value: str) -> str:
    # It travels in a header, where anything else is lost or refused on the way.
    if not _LINE.fullmatch(value):
        raise ValueError("must be plain ASCII, since it travels in a header")
    return value


def _key(value: SecretStr) -> SecretStr:
    _word(value.get_secret_value())
    return value


def _json_object(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value, parse_constant=_no_number)
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict) or not _finite(parsed):
        raise ValueError("must be a JSON object")
    return parsed


def _no_number(name: str) -> float:
    raise ValueError(name)


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        reachable = _is_host(parts.hostname or "") and (parts.port is None or parts.port > 0)
    except ValueError:
        reachable = False
    if not reachable:
        raise ValueError("names no host that can be reached")
    return parts


def _is_host(host: str) -> bool:
    if ":" in host:
        return bool(_IPV6.fullmatch(host))
    return all(map(_LABEL.fullmatch, host.removesuffix(".").split(".")))


def _web_address(value: str) -> str:
    if not value.lower().startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    if not value.isascii():
        raise ValueError("must be plain ASCII (an international name in its xn-- form)")
    parts = _split(value)
    if "@" in parts.netloc:
        raise ValueError("must not carry a name or password")
    if "?" in value or "#" in value:
        raise ValueError("must not carry a query or fragment")
    return value.rstrip("/")


def _site(value: str) -> str:
    address = _web_address(value)
    if urlsplit(address).path:
        raise ValueError("must be an address without a path, such as https://root.example")
    return address


def _domain(value: str) -> str:
    try:
        domain = idna.encode(value, uts46=True).decode("ascii").lower()
    except UnicodeError:
        domain = ""
    last = domain.rpartition(".")
    if not last[0] or not last[2] or last[2].isdigit():
        raise ValueError("must be a domain such as mail.example")
    return domain


def _postgres(value: str) -> str:
    if not value.startswith(("postgres://", "postgresql://")):
        raise ValueError("must start with postgres:// or postgresql://")
    try:
        parts = {name: str(part) for name, part in conninfo_to_dict(value).items()}
    except ProgrammingError:
        # The driver's own message quotes the address, password and all.
        raise ValueError("is not an address Postgres understands") from None
    if not parts.get("dbname") and not parts.get("service"):
        raise ValueError("names no database")
    if not all(_is_port(port) for port in parts.get("port", "").split(",") if port):
        raise ValueError("names a port that is none")
    if parts.get("sslmode", "prefer") not in _TLS_MODES:
        raise ValueError("asks for an sslmode that Postgres does not know")
    if not parts.get("connect_timeout", "0").isdecimal():
        raise ValueError("asks for a connect_timeout that is no number")
    return value


def _is_port(text: str) -> bool:
    return text.isdecimal() and 0 < int(text) <= 65535


def _redis(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://", "redis+socket://")):
        raise ValueError("must start with redis://, rediss:// or unix://")
    is_socket = value.startswith(("unix://", "redis+socket://"))
    parts = urlsplit(value) if is_socket else _split(value)
    if is_socket and len(parts.path) < len("/s"):
        raise ValueError("names no socket")
    options = dict(parse_qsl(parts.query))
    if not _REDIS_OPTIONS.issuperset(options):
        raise ValueError("carries an option Root does not pass on")
    numbers = [
        options.get("db", ""),
        options.get("virtual_host", ""),
        "" if is_socket else parts.path.strip("/"),
    ]
    if not all(number.isdecimal() for number in numbers if number):
        raise ValueError("names a database that is no number")
    return value


Switch = Annotated[bool, BeforeValidator(_switch)]
Whole = Annotated[int, BeforeValidator(_whole_number)]
Decimal = Annotated[float, BeforeValidator(_decimal)]
Word = Annotated[str, AfterValidator(_word)]
Model = Annotated[str, AfterValidator(_model)]
HeaderLine = Annotated[str, AfterValidator(_line)]
Key = Annotated[SecretStr, AfterValidator(_key)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_json_object)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
Site = Annotated[str, AfterValidator(_site)]
Domain = Annotated[str, AfterValidator(_domain)]
PostgresAddress = Annotated[str, AfterValidator(_postgres)]
RedisAddress = Annotated[str, AfterValidator(_redis)]
