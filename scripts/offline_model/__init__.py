"""The offline model: a small OpenAI-compatible server for a machine without a key.

It matches questions to the tools on offer, answers by quoting what the tools returned, and embeds texts for real.
No language model stands behind it, and each of its answers says so.
"""

import os

# Since 1.29 onnxruntime reports its use to its makers and puts an id of the machine into the home directory, unless
# this is set before it is loaded; its own call to switch it off comes too late for the id.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
