"""The shapes of a call around a tool's name: what stands before it, and what follows (contract §4.4).

Every pattern is bounded, and those for what stands before a name end at it.
"""

import re

_QUOTES = r"[`\"'*_]{0,3}"
SPEAKS_OF_ARGUMENTS = re.compile(
    r"\b(?:arguments|args|parameters|params|kwargs|(?:action|tool)?[_ ]?input)[\"'*]{0,3}\s{0,5}[:=]",
    re.IGNORECASE,
)

# Behind the name: name(q="x"), name(3, 4), name({…}); with a space only what no sentence has in its brackets.
CALLED = re.compile(
    rf"{_QUOTES}(?:\.(?:a?invoke|a?run|call|execute))?"
    r"(?:[(（]\s{0,20}(?:[\w.-]{1,40}\s{0,5}[=:]\s{0,5}[^\s)]|[\"'“‘`{\[]|-?\d{1,20}\s{0,5},)"
    r"|[ ]{1,2}[(（]\s{0,20}(?:\w{1,40}=\S|\w{1,40}\s{0,2}[=:]\s{0,2}[\"'{\[]|\{))"
)
# name(q), name(), name(…): on a line of its own; within a sentence it speaks of the tool.
FILLS_ITS_LINE = re.compile(
    rf"{_QUOTES}[(（](?!e?s\))(?:[^()（）\n]|\([^()\n]{{0,100}}\)){{0,300}}"
    r"[)）]{1,3}[`\"'*;,.\]]{0,5}[ \t]{0,20}(?=\n|\Z)"
)
# name( and nothing more, as a reply ends that was cut right there; and name(q where no sentence does that.
ENDS_OPEN = re.compile(r"[(（]\s{0,20}\Z")
ENDS_WITHIN = re.compile(r"[(（][^()（）]{1,300}\Z")
OPENS = re.compile(r"[(（]")
# name {…}, name:0{…}, name: [{…}], name with arguments {…}, (name, {…}), name and then a fence or a tag and {…}
_ARGUMENTS = r"(?:the\s)?(?:following\s)?(?i:arguments|args|parameters|params|input)"
_GAP = (
    rf"{_QUOTES}\]?(?::\d{{1,6}})?(?:\s(?:with|using))?(?:\s{{1,3}}[*`_]{{0,3}}{_ARGUMENTS}[*`_]{{0,3}})?"
    r"\s{0,5}(?:[:：,→]|=>?|->)?[*`_]{0,3}(?:\s{0,5}(?:<[^<>\n]{0,60}>|```\w{0,10}|\[ARGS\]|(?:json|code)\b)){0,3}\s{0,5}"
)
BRACED = re.compile(rf"{_GAP}(?:\{{|\[\s{{0,5}}(?:[\"'{{]|\w{{1,40}}=\S))")
BRACED_JSON = re.compile(rf"{_GAP}(?:\[\s{{0,5}})?\{{\s{{0,20}}[\"'}}]")
SURELY_BRACED = re.compile(
    rf"{_QUOTES}(?:\s(?:with|using)\s{_ARGUMENTS}\W{{0,10}}\{{"
    r"|(?::\d{1,6})?[{\[]\s{0,5}[\"'{])"
)
OBJECT_UNDER_KEY = re.compile(r"[\"']?\s{0,5}:\s{0,5}\{")
TAG_WITH_JSON = re.compile(r"[^<>\n]{0,200}>\s{0,5}[{\[]")
TAG_WITH_MORE = re.compile(r"\s{0,5}/>|\s[^<>]{0,300}=[^<>]{0,300}>|\s{0,5}>\s{0,5}[{\[<(]")
VALUE_ENDS = re.compile(r"[\"']\s{0,5}[,}\]]")

# Before the name, up to it.
LEADS_LINE = re.compile(
    r"[ \t>*`\-+•\[(/\d._]{0,30}"
    r"(?:(?:[\w,.\[\]]{1,30}(?:[ \t][\w]{1,20}){0,3}[ \t]{0,5}[:=]|await|return|print[ \t]?\(|\$)[ \t*`\[(]{0,10}){0,4}"
    r"(?:\w{1,30}\.){0,3}"
)
CALLERS_PREFIX = re.compile(r"(?:\b(?:functions?|tools?|default_api|recipient|to|call)(?:\.|::?|=))+\Z")
# Action: name, with nothing else on its line.
TAKES_ACTION = re.compile(
    r"[ \t>*`\-]{0,10}(?:action|(?:tool|function)[ _]?call|call(?:ing)?)[*`]{0,3}[ \t]{0,5}:"
    r"[ \t*`\"']{0,6}(?:\w{1,30}\.){0,3}",
    re.IGNORECASE,
)
LINE_ENDS = re.compile(r"[`\"'*.]{0,4}[ \t]{0,20}(?=\n|\Z)")
FOREIGN_PREFIX = re.compile(r"[\w)\]]\.\Z")
FIRST_KEY = re.compile(r"(?:(?:\A|[^:,\s\[])[\s\[]{0,20}\{\s{0,20}[\"']|(?:\A|\n)[\s\[]{0,20}\{\s{0,20})\Z")
SAID_TO_BE = re.compile(
    r"\b(?:tool|function|recipient|action|call|name)(?:[_ ]?name)?[\"'*`]{0,3}\s{0,5}[:=]\s{0,5}[\"'*`]{0,3}"
    r"(?:functions?[.:])?\Z",
    re.IGNORECASE,
)
KEY_OF_TOOLS = re.compile(r"[\"'](?:tool|function|recipient|action)(?:_name)?[\"']\s{0,5}:\s{0,5}[\"']\Z")
CALL_TAG = re.compile(
    r"<(?:\w{1,20}:)?(?:invoke|function|tool|call|use|action)[\w-]{0,20}"
    r"(?:\s[^<>\n]{0,80})?(?:\s?[=:]\s?[\"']?|>\s{0,5})\Z",
    re.IGNORECASE,
)
NAME_TAG = re.compile(r"</?(?:\w{1,20}:)?\Z")
CLOSED = re.compile(r"</(?:\w{1,20}:)?([\w-]{1,64})")
