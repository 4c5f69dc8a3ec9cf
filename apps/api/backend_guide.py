"""What the page for integrators shows besides its prose: the protocol's values and code to copy (contract §7)."""

from __future__ import annotations

import json
from typing import Any

from apps.foundation.signing import DEFAULT_SKEW_SECONDS
from apps.integrations.rootint.endpoints import ENDPOINTS

PYTHON = """\
import hashlib, hmac, time

def is_from_root(secret: str, timestamp: str, signature: str, body: bytes) -> bool:
    if not timestamp.isascii() or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())
"""
NODE = """\
import { createHmac, timingSafeEqual } from "node:crypto";

export function isFromRoot(secret, timestamp, signature, body /* a Buffer */) {
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = Buffer.from(createHmac("sha256", secret).update(timestamp + ".").update(body).digest("hex"));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
"""
PHP = """\
function is_from_root(string $secret, string $timestamp, string $signature, string $body): bool {
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $timestamp . '.' . $body, $secret), $signature);
}
// $body is file_get_contents('php://input'), read before anything else parses it.
"""
GO = """\
func isFromRoot(secret, timestamp, signature string, body []byte) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Now().Unix() - seconds; err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret)) // crypto/hmac, crypto/sha256
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}
"""
SNIPPETS = (("Python", PYTHON), ("Node", NODE), ("PHP", PHP), ("Go", GO))
_MANIFEST = {
    "protocol": "root-int/1",
    "name": "our-house",
    "access_tiers": [
        "member",
        {"name": "guest", "core_tools": ["search_knowledge_base", "escalate_to_admin"]},
    ],
    "tools": [
        {
            "name": "list_rooms",
            "description": "Which rooms are free on a day.",
            "parameters": {
                "type": "object",
                "properties": {"day": {"type": "string", "description": "YYYY-MM-DD"}},
                "required": ["day"],
                "additionalProperties": False,
            },
            "channels": ["slack", "email", "api", "web"],
            "tiers": ["member"],
            "read_only": True,
            "timeout_ms": 8000,
            "status_label": "Looking which rooms are free",
        }
    ],
    "prompt_sections": [{"tiers": ["guest"], "content": "Guests ask their host to book a room."}],
    "link_destinations": ["my-bookings"],
}
_INVOCATION = {
    "invocation_id": "5f0c6a52-9f0e-4a43-9a0b-7a2f3f3f9f10",
    "tenant_id": "0b0e7c52-1c1d-4f0e-8a53-0d6f6d1c2b11",
    "principal": {"ref": "u-17", "tier": "member", "is_admin": False, "display_name": "Ada"},
    "channel": "slack",
    "params": {"day": "2026-02-03"},
}


def guide() -> dict[str, Any]:
    """What the template is filled with."""
    return {
        "skew": DEFAULT_SKEW_SECONDS,
        "snippets": [{"id": name.lower(), "language": name, "code": code} for name, code in SNIPPETS],
        "endpoints": [
            {"key": key, "method": each.method, "path": each.path, "seconds": f"{each.timeout_seconds:g}"}
            for key, each in ENDPOINTS.items()
        ],
        "manifest": json.dumps(_MANIFEST, indent=2),
        "invocation": json.dumps(_INVOCATION, indent=2),
    }
