"""Browsers and links leave when nothing can be read through them any more."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from apps.foundation.clock import now
from apps.knowledge import link_retention
from apps.knowledge.models import WebBrowserSession, WebLinkToken
from apps.tenancy.jobs.retention import ALSO_SWEPT
from apps.tenancy.models import Tenant
from tests.knowledge.links.cast import a_page, ada, mo, opened, token_for

pytestmark = pytest.mark.django_db


def test_what_goes_and_what_stays(in_tenant: Tenant, llm: Any) -> None:
    page = a_page()
    _unopened, old, lasting, fresh = (token_for(page, ada()) for _ in range(4))
    kept = opened(page, lasting)
    gone = opened(page, token_for(page, mo()))
    long_ago = now() - timedelta(days=31)
    WebLinkToken.objects.exclude(token_hash=_hash(fresh)).update(expires_at=long_ago)
    WebLinkToken.objects.filter(token_hash=_hash(old)).update(expires_at=now() - timedelta(days=1))
    WebBrowserSession.objects.filter(token_hash=_hash(gone)).update(expires_at=now() - timedelta(days=1))

    # The unopened link, and a browser with the link that only it could read by.
    assert link_retention.sweep() == 3
    assert set(WebLinkToken.objects.values_list("token_hash", flat=True)) == {
        _hash(old),
        _hash(lasting),
        _hash(fresh),
    }
    assert [row.token_hash for row in WebBrowserSession.objects.all()] == [_hash(kept)]


def test_a_link_whose_browser_is_gone_stays_used_up_and_goes_next(in_tenant: Tenant, llm: Any) -> None:
    page = a_page()
    opened(page, token_for(page, mo()))
    WebBrowserSession.objects.update(expires_at=now() - timedelta(days=1))
    assert link_retention.sweep() == 1
    [link] = WebLinkToken.objects.all()
    assert link.browser_session_id is None and link.bound_at is not None
    WebLinkToken.objects.update(expires_at=now() - timedelta(days=31))
    assert link_retention.sweep() == 1 and link_retention.sweep() == 0


def test_it_is_among_the_platforms_sweeps() -> None:
    assert link_retention.sweep in ALSO_SWEPT


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
