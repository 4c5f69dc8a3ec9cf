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


@pytest.fixture
def a_row_everywhere(admin_address: str, community: Community) -> None:
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import TenantChannel
    from tests.dashboard.rows_everywhere import fill

    with tenant_context(community.tenant):
        # The chat's; it makes one of its own.
        TenantChannel.objects.all().delete()
    fill(community.tenant, marker="hidden")


def _jobs(model: type, tenant: Tenant) -> None:
    for number in range(3):
        model.objects.create(  # type: ignore[attr-defined]
            tenant=tenant, queue="notifications", key=f"letter-{number}", error="HttpFailure: timeout " * 6
        )
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


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ("tenancy/queuejob", "error_line"),
        ("tenancy/queuejobevent", "error_line"),
        ("tenancy/tenantapikey", "revoked_at"),
        ("tenancy/tenant", "created_at"),
        ("tenancy/integrationtoolcall", "success"),
        ("integrations/integration", "status"),
        ("agent/agentrun", "failure"),
        ("agent/humanintervention", "what"),
    ],
)
def test_what_matters_is_seen_without_scrolling(
    admin_address: str, a_row_everywhere: None, desktop: Page, table: str, field: str
) -> None:
    _sign_in(desktop, admin_address)
    desktop.goto(f"{admin_address}{table}/")
    frame = desktop.locator("#changelist .results").bounding_box()
    assert frame is not None and frame["x"] + frame["width"] <= 1280
    for place in (f"thead .column-{field}", f"tbody .field-{field}"):
        box = desktop.locator(f"#result_list {place}").first.bounding_box()
        assert box is not None and box["x"] + box["width"] <= frame["x"] + frame["width"], place


def test_a_telephone_is_told_that_there_is_more(admin_address: str, phone: Page) -> None:
    _sign_in(phone, admin_address)
    phone.goto(f"{admin_address}tenancy/queuejob/")
    expect(phone.get_by_text("swipe the table")).to_be_visible()
    expect(phone.locator("tbody .field-state").first).to_be_in_viewport()
    expect(phone.get_by_role("link", name="Waiting")).to_be_hidden()
    phone.get_by_text("Filters", exact=True).click()
    phone.get_by_role("link", name="Waiting").click()
    expect(phone.get_by_text("Filters are in use.")).to_be_visible()
    expect(phone.locator("tbody .field-state").first).to_be_in_viewport()
    phone.get_by_role("link", name="Show everything").click()
    expect(phone.get_by_text("Filters are in use.")).to_be_hidden()


def test_an_action_leads_back_to_the_search(admin_address: str, desktop: Page) -> None:
    _sign_in(desktop, admin_address)
    desktop.goto(f"{admin_address}tenancy/tenant/?q=harbour--dev")
    desktop.get_by_role("link", name="harbour--dev", exact=True).click()
    desktop.get_by_role("button", name="Suspend").click()
    desktop.get_by_role("button", name="Suspend").click()
    expect(desktop.locator(".messagelist")).to_contain_text("Suspended: harbour--dev.")
    expect(desktop.get_by_role("textbox", name="Search")).to_have_value("harbour--dev")
    expect(desktop.locator("#result_list tbody tr")).to_have_count(1)


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
