"""An operator signs in, finds a tenant, suspends it and looks at its queue; by keyboard, and on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.dashboard.conftest import OPERATOR, open_door
from tests.plugins.community import Community

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant

__all__ = ["open_door"]
pytestmark = pytest.mark.serial
expect.set_options(timeout=PATIENCE_MS)


# Named before the page everywhere: once the browser runs, its event loop forbids the database.
@pytest.fixture
def admin_address(community: Community, open_door: None, chat_address: str) -> str:
    """The admin of a platform with an operator, a shadow, and jobs in two queues."""
    from apps.tenancy.models import QueueJob
    from apps.tenancy.platform_admins import add_platform_admin
    from apps.tenancy.tenants import shadow_of

    add_platform_admin(OPERATOR)
    shadow_of(community.tenant)
    _jobs(QueueJob, community.tenant)
    return f"{chat_address.partition('/web/')[0]}/admin/"


def _jobs(model: type, tenant: Tenant) -> None:
    for number in range(3):
        model.objects.create(tenant=tenant, queue="notifications", key=f"letter-{number}")  # type: ignore[attr-defined]
    model.objects.create(tenant=None, queue="queue-metrics", key="elsewhere")  # type: ignore[attr-defined]


def _sign_in(page: Page, admin_address: str) -> None:
    page.goto(admin_address)
    page.get_by_role("link", name="sign in by naming an address").click()
    page.get_by_label("E-mail").fill(OPERATOR)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The platform")).to_be_visible()


def test_a_tenant_is_found_and_suspended_and_its_queue_seen(admin_address: str, desktop: Page) -> None:
    _sign_in(desktop, admin_address)
    desktop.get_by_role("main").get_by_role("link", name="Tenants", exact=True).click()
    desktop.get_by_role("textbox", name="Search").fill("harbour")
    desktop.keyboard.press("Enter")
    desktop.get_by_role("link", name="harbour", exact=True).click()
    expect(desktop.get_by_role("link", name="Jobs", exact=True).last).to_be_visible()

    button = desktop.get_by_role("button", name="Suspend")
    button.focus()
    desktop.keyboard.press("Enter")
    expect(desktop.get_by_role("heading", name="Suspend?")).to_be_visible()
    expect(desktop.get_by_role("main")).to_contain_text("takes no turns")
    desktop.get_by_role("button", name="Suspend").click()
    expect(desktop.locator(".messagelist")).to_contain_text("Suspended: harbour.")

    desktop.get_by_role("link", name="harbour", exact=True).click()
    expect(desktop.get_by_role("button", name="Activate")).to_be_visible()
    desktop.locator(".row-tools").get_by_role("link", name="Jobs").click()
    expect(desktop.locator("#result_list tbody tr")).to_have_count(3)
    expect(desktop.get_by_role("main")).not_to_contain_text("elsewhere")

    desktop.goto(f"{admin_address}queues/")
    row = desktop.locator("tr", has_text="notifications")
    expect(row.locator("td").first).to_have_text("3")


def test_what_cannot_be_saved_keeps_what_was_typed(admin_address: str, desktop: Page) -> None:
    _sign_in(desktop, admin_address)
    desktop.goto(f"{admin_address}tenancy/tenant/?q=harbour")
    desktop.get_by_role("link", name="harbour", exact=True).click()
    desktop.get_by_label("Timezone").fill("Mars/Olympus")
    desktop.get_by_role("button", name="Save", exact=True).click()
    expect(desktop.get_by_role("main")).to_contain_text("not a time zone")
    expect(desktop.get_by_label("Timezone")).to_have_value("Mars/Olympus")
    desktop.get_by_label("Timezone").fill("Europe/Madrid")
    desktop.get_by_role("button", name="Save", exact=True).click()
    expect(desktop.locator(".messagelist")).to_contain_text("was changed successfully")


def test_it_fits_a_small_phone(admin_address: str, phone: Page) -> None:
    _sign_in(phone, admin_address)
    for page in ("", "queues/", "tenancy/tenant/", "tenancy/queuejob/", "tenancy/tenantuser/add/"):
        phone.goto(admin_address + page)
        assert phone.evaluate("document.documentElement.scrollWidth") == 320, page


def test_signing_out_ends_it(admin_address: str, desktop: Page) -> None:
    _sign_in(desktop, admin_address)
    desktop.get_by_role("button", name="Log out").click()
    expect(desktop.get_by_role("heading", name="Sign in")).to_be_visible()
    desktop.goto(admin_address)
    expect(desktop.get_by_role("heading", name="Sign in")).to_be_visible()
