"""The outbound edges: backends of one name, who somebody is, models."""

from __future__ import annotations

from apps.foundation import ttl_cache
from apps.integrations import identity, registration
from apps.integrations.connect import connect, look_again
from apps.integrations.enrolment import enrol_people
from apps.integrations.llm import chat, embeddings
from apps.integrations.llm.metering import collecting
from apps.integrations.rootint import registry
from apps.integrations.rootint.links import issue_link
from apps.tenancy.principals import PersonFacts
from tests.isolation.cast import EMAIL, REF, SLACK, Community


def connecting(community: Community) -> object:
    """Twice each: the second time is a move of a backend that works."""
    backends = {"house": community.house, "annex": community.annex}
    made = [
        connect(name, base_url=backend.url, signing_secret=str(backend.secret))
        for name, backend in [*backends.items(), *backends.items()]
    ]
    assert [each.problem for each in made] == [""] * 4
    return made


def registering(community: Community) -> object:
    registration.register(name="spare", base_url=community.annex.url)
    registration.rotate_secret("spare")
    registration.disable("spare")
    registration.set_endpoint_paths("house", {"links_issue": "/integration/links/issue"})
    registration.set_overrides("house", {"book_room": {"description": f"Books at {community.marker}."}})
    house = look_again("house").row
    assert "search_members" in registration.tool_names(house)
    return [*registration.list_integrations(), *registration.integrations()]


def people_in_bulk(community: Community) -> object:
    facts = PersonFacts(ref="p-eve", tier=community.tier, display_name=f"Eve {community.marker}")
    results = enrol_people([facts])
    assert [each.status for each in results] == ["created"]
    return results


def manifests(_community: Community) -> object:
    """After a restart every manifest is stale: they are fetched side by side, in threads."""
    ttl_cache.clear_all()
    house = registration.find("house")
    found = [registry.active_integrations(), registry.enabled_rows(), registry.active_rows()]
    return [*found, registry.keep(house, registry.probe(house)), registry.refresh(house)]


def who(community: Community) -> object:
    """One person on every channel; only the tier and the name tell the communities apart."""
    people = [
        identity.resolve(channel="slack", slack_user_id=SLACK, email=EMAIL),
        identity.resolve(channel="email", email=EMAIL),
        identity.resolve(channel="api", ref=REF),
        identity.resolve(channel="web", email=EMAIL, remember=False),
    ]
    assert {person.tier for person in people} == {community.tier}
    assert {person.ref for person in people} == {REF}
    return people


def links(_community: Community) -> object:
    return issue_link(registration.find("house"), destination="rooms", principal_ref=REF)


def models(community: Community) -> object:
    words = f"About {community.marker}"
    with collecting() as spent:
        reply = chat.complete([{"role": "user", "content": words}], purpose=f"test.{community.marker}")
        batch = embeddings.embed([words], purpose=f"test.{community.marker}")
    # Calls of the others at the same moment are not added here.
    assert spent.totals().llm_calls == 1 and not batch.failures
    return reply


CONNECTING = (connecting,)
DRIVERS = (people_in_bulk, registering, manifests, who, links, models)
