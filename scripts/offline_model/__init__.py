"""The offline model: a small OpenAI-compatible server for a machine without a key.

It matches questions to the tools on offer, answers by quoting what the tools returned, and embeds texts for real.
No language model stands behind it, and each of its answers says so.
"""
