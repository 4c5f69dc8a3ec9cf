"""The OpenAPI document as a page shows it: operations by tag, fields in words, commands that run (contract §12.2)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

Json = Mapping[str, Any]
_DEEPEST = 6
_WORDS = {
    "uuid": "00000000-0000-4000-8000-000000000000",
    "date-time": "2026-01-31T09:00:00Z",
    "date": "2026-01-31",
}


class Readable:
    """One document."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self._shapes: Json = document.get("components", {}).get("schemas", {})

    def tags(self) -> list[dict[str, Any]]:
        """The operations under their tags, in the document's order."""
        found: dict[str, list[dict[str, Any]]] = {}
        for path, methods in self._document["paths"].items():
            for method, described in methods.items():
                if isinstance(described, dict) and "responses" in described:
                    tag = (described.get("tags") or ["Other"])[0]
                    found.setdefault(tag, []).append(self._operation(method.upper(), path, described))
        return [{"name": name, "operations": operations} for name, operations in found.items()]

    def _operation(self, method: str, path: str, described: Json) -> dict[str, Any]:
        body = _json_shape(described.get("requestBody", {}))
        return {
            "id": described["operationId"],
            "summary": described.get("summary", path),
            "description": described.get("description", ""),
            "method": method,
            "path": path,
            "parameters": [self._parameter(each) for each in described.get("parameters", ())],
            "fields": list(self._fields(body)) if body else [],
            "answers": [self._answer(status, each) for status, each in described["responses"].items()],
            "curl": self._curl(method, path, described, body),
        }

    def _parameter(self, each: Json) -> dict[str, Any]:
        shape = each.get("schema", {})
        return {
            "name": each["name"],
            "place": each["in"],
            "required": each.get("required", False),
            "kind": self._kind(shape),
            "description": each.get("description", ""),
        }

    def _fields(self, shape: Json) -> Iterator[dict[str, Any]]:
        known = self._known(shape)
        for name, each in known.get("properties", {}).items():
            yield {
                "name": name,
                "required": name in known.get("required", ()),
                "kind": self._kind(each),
                "description": each.get("description", "") or self._known(each).get("description", ""),
            }

    def _answer(self, status: str, each: Json) -> dict[str, Any]:
        shape = _json_shape(each)
        shown = shape and status.startswith("2")
        example = json.dumps(self.sample(shape), indent=2, ensure_ascii=False) if shape and shown else ""
        return {"status": status, "description": each.get("description", ""), "example": example}

    def _curl(self, method: str, path: str, described: Json, body: Json | None) -> str:
        needed = [each for each in described.get("parameters", ()) if each.get("required")]
        for each in needed:
            if each["in"] == "path":
                path = path.replace("{" + each["name"] + "}", str(self._of_parameter(each)))
        query = urlencode(
            {each["name"]: self._of_parameter(each) for each in needed if each["in"] == "query"}
        )
        lines = [f'curl -sS -X {method} "$ROOT{path}{"?" + query if query else ""}"']
        lines.append('-H "Authorization: Bearer $ROOT_KEY"')
        if body is not None:
            lines.append('-H "Content-Type: application/json"')
            lines.append(f"-d {shlex.quote(json.dumps(self.sample(body), ensure_ascii=False))}")
        return " \\\n  ".join(lines)

    def _of_parameter(self, each: Json) -> Any:
        return each.get("example", self.sample(each.get("schema", {})))

    def sample(self, shape: Json, *, depth: int = _DEEPEST) -> Any:
        """A value of a shape: its own example where there is one."""
        shape = self._known(shape)
        for given in ("examples", "enum"):
            if isinstance(shape.get(given), list) and shape[given]:
                return shape[given][0]
        for given in ("example", "const", "default"):
            if shape.get(given) is not None:
                return shape[given]
        options = [each for each in shape.get("anyOf", shape.get("oneOf", ())) if each.get("type") != "null"]
        if options and "properties" not in shape:
            return self.sample(options[0], depth=depth - 1)
        return self._made_up(shape, needed=options, depth=depth)

    def _made_up(self, shape: Json, *, needed: list[Json], depth: int) -> Any:
        kind = shape.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), None)
        if kind == "object" or "properties" in shape:
            wanted = {*shape.get("required", ()), *(needed[0].get("required", ()) if needed else ())}
            parts = shape.get("properties", {}).items() if depth > 0 else ()
            shown = {
                name: each for name, each in parts if name in wanted or (not wanted and "examples" in each)
            }
            return {name: self.sample(each, depth=depth - 1) for name, each in shown.items()}
        if kind == "array":
            return [self.sample(shape.get("items", {}), depth=depth - 1)] if depth > 0 else []
        simple = {"integer": shape.get("minimum", 1), "number": shape.get("minimum", 1), "boolean": True}
        return simple.get(str(kind), None if kind == "null" else _text(shape))

    def _kind(self, shape: Json) -> str:
        shape = self._known(shape)
        options = shape.get("anyOf", shape.get("oneOf", ()))
        if options and "type" not in shape:
            return " or ".join(dict.fromkeys(self._kind(each) for each in options))
        if "enum" in shape:
            return " | ".join(map(str, shape["enum"]))
        if "const" in shape:
            return str(shape["const"])
        kind = shape.get("type", "any")
        named = "/".join(kind) if isinstance(kind, list) else str(shape.get("format", kind))
        return (
            f"{named} of {self._kind(shape['items'])}"
            if named == "array" and "items" in shape
            else named + _bounds(shape)
        )

    def _known(self, shape: Json) -> Json:
        for _ in range(_DEEPEST):
            reference = shape.get("$ref")
            if reference is None and len(shape.get("allOf", ())) == 1:
                reference = shape["allOf"][0].get("$ref")
            if not isinstance(reference, str):
                break
            shape = self._shapes.get(reference.rpartition("/")[2], {})
        return shape


def _json_shape(described: Json) -> Json | None:
    found: Json | None = described.get("content", {}).get("application/json", {}).get("schema")
    return found


def _text(shape: Json) -> str:
    if shape.get("format") in _WORDS:
        return _WORDS[str(shape["format"])]
    least: int = shape.get("minLength", 0)
    return ("text" * (least // 4 + 1))[: max(least, 4)]


def _bounds(shape: Json) -> str:
    told = [
        f"{word} {shape[name]}"
        for name, word in (("minimum", "from"), ("maximum", "to"), ("maxLength", "at most"))
        if name in shape
    ]
    return f", {' '.join(told)}" if told else ""
