"""The kernel is a library: importing it brings in no framework, no other app and no HTTP client."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import apps.agent.kernel
foreign = {"django", "httpx", "openai", "requests", "psycopg", "pydantic", "redis"}
loaded = {name.split(".")[0] for name in sys.modules}
ours = [n for n in sys.modules if n.startswith("apps.") and not n.startswith("apps.agent")]
print(sorted(foreign & loaded), ours)
"""


def test_imports_nothing_foreign() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"
