"""Markup that wants to run something, ask somebody for something, or look like something else (KNW-09)."""

from __future__ import annotations

import json
import os
from pathlib import Path

# Where a larger collection lies: a JSON list of objects with a ``payload``.
COLLECTION = "XSS_VECTORS"
OWN = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=//e.example/x>",
    "<image href=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a><animate attributeName=href values=javascript:alert(1)></animate><text>map</text></a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><script>alert(1)</script>",
    "<math><mi><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=x onerror=alert(1)></template>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<object data=javascript:alert(1)></object><embed src=//e.example/x>",
    "<video src=//e.example/x autoplay onloadstart=alert(1)></video><audio src=x onerror=alert(1)>",
    "<details open ontoggle=alert(1)><summary>more</summary></details>",
    "<p onclick=alert(1) onmouseover=alert(1) onfocus=alert(1) tabindex=0 autofocus>press</p>",
    "<a href='java\tscript:alert(1)'>open</a><a href='JaVaScRiPt:alert(1)'>open</a>",
    "<a href='&#106;avascript&colon;alert(1)'>open</a><a href=' &#14; javascript:alert(1)'>open</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>data</a><a href=vbscript:x>x</a>",
    "<a title='\"><img src=x onerror=alert(1)>' href=https://e.example/>quoted</a>",
    "<abbr title='</abbr><script>alert(1)</script>'>short</abbr>",
    "<td title=x onclick=alert(1)><table background=//e.example/x><tr><td background=//e.example/y>cell",
    "<style>@import url(//e.example/x); p { background: url(//e.example/y) }</style>",
    "<p style='background:url(//e.example/x)'>styled</p>",
    "<link rel=stylesheet href=//e.example/x><link rel=prefetch href=//e.example/y>",
    "<meta http-equiv=refresh content='0;url=//e.example/'><base href=//e.example/>",
    "<form action=//e.example/><input autofocus onfocus=alert(1)><button formaction=javascript:alert(1)>go</button>",
    "<marquee onstart=alert(1)>x</marquee><body onload=alert(1)><html onclick=alert(1)>",
    "</article></main><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script><![CDATA[",
    "<plaintext><xmp><script>alert(1)</script>",
    "<<script>alert(1)//<</script>",
    "<x onclick=alert(1)>unknown</x><p/onclick=alert(1)>x",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y SYSTEM '//e.example/'>]>&y;",
    "\u2028<script\u00a0>alert(1)</script>\ufeff<ſcript>alert(1)</ſcript>",
]


def collected() -> list[str]:
    """The payloads of the larger collection; none where nobody named its file."""
    path = os.environ.get(COLLECTION)
    if not path:
        return []
    return [str(entry["payload"]) for entry in json.loads(Path(path).read_text())]
