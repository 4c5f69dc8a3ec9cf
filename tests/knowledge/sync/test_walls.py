"""What stands in front of content is told from content that speaks of gates, logins and checks (KNW-02)."""

from __future__ import annotations

import pytest

from apps.knowledge.sync.article import read_article
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.walls import refuse_walls

ASKED = "https://harbour.example/visit"
TEXT = (
    "<p>The harbour office opens at 8:30 and closes at 17:15 on weekdays. Berths are paid in advance: 42 euros a night"
    " for boats up to 12 metres, 65 euros above that.</p>"
)
MORE = (
    "<p>The warden of pier seven hands out the keys and knows the tides of the whole year by heart.</p>" * 4
)


def judge(html: str, *, arrived: str = ASKED) -> None:
    refuse_walls(read_article(html, url=arrived), asked=ASKED, arrived=arrived)


GOOD = {
    "a notice of a captcha": f"<title>Visit</title><main><h1>Visit</h1>{TEXT}</main><footer>This site is protected by"
    " reCAPTCHA and the Google Privacy Policy and Terms of Service apply.</footer>",
    "a gate with a check": f"<title>Visit</title><main><h1>Visit</h1>{TEXT}<p>Guests pass a security check at the gate;"
    " without a badge access denied is all the gate will say. Put your bag down just a moment before.</p></main>",
    "watched by a proxy": "<title>Visit</title><script>window.__CF$cv$params={};var a='/cdn-cgi/challenge-platform/"
    f"scripts/jsd/main.js'</script><main><h1>Visit</h1>{TEXT}</main>",
    "a place to sign in": f"<title>Visit</title><form>Log in <input type=password></form><main>{TEXT}{MORE}"
    "</main>",
    "room 404": f"<title>Room 404 - Harbour</title><main><h1>Room 404</h1>{TEXT}</main>",
    "a form around everything": f"<title>Visit</title><form id=aspnetForm><div>{TEXT}{MORE}</div></form>",
}


@pytest.mark.parametrize("html", GOOD.values(), ids=GOOD)
def test_content_passes(html: str) -> None:
    judge(html)


BAD = {
    "a challenge": (
        "<title>harbour.example</title><script>window._cf_chl_opt={}</script><p>One more step</p>",
        "bot check",
    ),
    "in German": ("<title>Nur einen Moment…</title><p>Verifizierung läuft</p>", "bot check"),
    "in French": ("<title>Un instant…</title><p>Vérification de sécurité en cours</p>", "bot check"),
    "a captcha": (
        "<title>Visit</title><p>Please complete the captcha to go on to the page of the harbour.</p>",
        "bot",
    ),
    "are you human": (
        "<title>Visit</title><p>Verify you are human by completing the action below.</p>",
        "bot check",
    ),
    "a login": ("<title>Sign in</title><form>Sign in to go on <input type=password></form>", "login page"),
    "not found": (
        "<title>Page not found</title><p>Nothing lives here, but the search may help you on.</p>",
        "not exist",
    ),
    "an error 404": (
        "<title>404 Not Found</title><p>Nothing lives here, but the search may help you on.</p>",
        "not exist",
    ),
    "next to nothing": ("<title>Visit</title><p>Soon.</p>", "too little text"),
}


@pytest.mark.parametrize(("html", "why"), BAD.values(), ids=BAD)
def test_walls_do_not(html: str, why: str) -> None:
    with pytest.raises(SyncFailure, match=why):
        judge(html)


def test_a_login_that_says_much_is_one_all_the_same() -> None:
    terms = (
        "<p>By going on you accept the terms of use of the harbour works and of its partners in all ports.</p>"
        * 40
    )
    html = f"<title>Account</title><form><input type=password></form>{terms}"
    with pytest.raises(SyncFailure, match="login page"):
        judge(html, arrived="https://id.harbour.example/login?next=visit")


def test_a_page_below_a_path_called_auth_is_none() -> None:
    judge(
        f"<title>Tokens</title><main><h1>Tokens</h1>{TEXT}{MORE * 4}</main>",
        arrived="https://harbour.example/auth/x",
    )


def test_what_is_folded_away_is_read_and_a_folded_menu_is_not() -> None:
    page = read_article(
        "<title>FAQ</title><button aria-controls=menu>Menu</button><div id=menu hidden><a href=/a>News</a>"
        "<a href=/b>Shop</a></div><main><h1>FAQ</h1><p>Answers for members and their guests at the pier.</p>"
        "<h3><button aria-controls=a1>When may guests come?</button></h3><div id=a1 hidden>From seven to ten.</div>"
        '<h3>Prices</h3><div role=region style="display: none"><p>42 euros a night.</p></div>'
        '<div style="display:none">Trap for robots</div></main>',
        url=ASKED,
    )
    for said in ("When may guests come?", "From seven to ten.", "42 euros a night."):
        assert said in page.text
    for unsaid in ("Trap", "Shop", "Menu"):
        assert unsaid not in page.text


def masked(address: str, key: int) -> str:
    return bytes([key, *(sign ^ key for sign in address.encode())]).hex()


def test_masked_mail_addresses_are_facts_and_the_same_with_each_visit() -> None:
    def visit(key: int) -> str:
        mask = masked("berths@harbour.example", key)
        link = f'<a href="/cdn-cgi/l/email-protection#{mask}">Write</a>'
        shown = f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{mask}">[email&#160;protected]</a>'
        odd = '<span data-cfemail="zz">kept</span><span data-cfemail="8f">kept</span>'
        return read_article(f"<main><h1>Visit</h1>{TEXT}<p>{link} {shown} {odd}</p></main>", url=ASKED).html

    assert visit(17) == visit(201)
    assert visit(17).count("mailto:berths@harbour.example") == 2
    assert ">berths@harbour.example</a>" in visit(17)
    assert visit(17).count("kept") == 2
