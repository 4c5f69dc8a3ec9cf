"""Slack under one set of ids: names, messages, threads, files, history and turns."""

from __future__ import annotations

from datetime import timedelta

from apps.integrations.slack import client, credentials, directory, files, history, permalinks
from apps.knowledge.models import ProcessedSlackMessage, SlackThreadArtifact
from apps.knowledge.slack_index import (
    backfill,
    distillation,
    distilling,
    events,
    ingest,
    reach,
    threads,
    turns,
)
from apps.knowledge.slack_index.lookup import Lookup
from apps.knowledge.slack_index.message import Names, SlackMessage
from apps.knowledge.slack_index.rare_terms import Corpus
from apps.tenancy.channels import set_channel
from tests.isolation.cast import Community
from tests.isolation.workspaces import ADA, BO, CHANNEL, FILE, LINE, OLD_CHANNEL, at, token


def connecting(community: Community) -> object:
    kept = token(community.marker)
    row = set_channel("slack", config={"note": community.marker}, secrets={"bot_token": kept})
    client.forget_client()
    assert client.is_connected() and client.slack_client().token == kept
    found = credentials.slack_credentials().bot_token
    assert found is not None and found.get_secret_value() == kept
    return row.config


def names(community: Community) -> object:
    found = [
        directory.learn_users(),
        directory.user(ADA),
        directory.channel(CHANNEL),
        directory.public_channels(),
        directory.workspace(),
        directory.user_names([ADA, BO]),
        directory.channel_names([CHANNEL]),
        permalinks.permalink_of(CHANNEL, at(1)),
        history.channel_page(OLD_CHANNEL),
        history.thread_page(OLD_CHANNEL, at(1)),
        history.one_message(OLD_CHANNEL, at(2)),
        files.fetch_file(_file(community)).text,
    ]
    assert directory.user_names([ADA]) == {ADA: f"Ada {community.marker}"}
    return found


def messages(community: Community) -> object:
    """Said, edited, withdrawn, brought back and deleted, each under times that the others use too."""
    said = [ingest.ingest_message(_message(community, number), names=Names()) for number in (20, 21, 22)]
    assert [each.outcome for each in said] == ["created"] * 3
    ingest.ingest_message(_message(community, 20, text=f"Edited at {community.marker}.", edited_ts=at(30)))
    assert ingest.restate(CHANNEL, at(20), summary=f"A picture of {community.marker}")
    assert ingest.withdraw_message(CHANNEL, at(21)) and ingest.restore_message(CHANNEL, at(21))
    if community.slug == "mill":
        assert ingest.delete_message(CHANNEL, at(22))
    else:
        assert not ingest.delete_message(CHANNEL, at(23))
    kept = ProcessedSlackMessage.objects.filter(message_ts=at(22)).values_list("message_text", flat=True)
    assert bool("".join(kept)) is (community.slug != "mill")
    return list(ProcessedSlackMessage.objects.values_list("message_text", "user_name"))


def arriving(community: Community) -> object:
    """Asked for here, worked on by the jobs: a reply with a file, to a thread whose beginning is missing."""
    told = {"type": "message", "channel": CHANNEL, "channel_type": "channel", "user": ADA}
    text = f"<@{BO}> {LINE.format(marker=community.marker)} " * 4
    event = {**told, "ts": at(51), "thread_ts": at(50), "text": text, "files": [_file(community)]}
    assert events.offer(event)
    lookup = Lookup.here()
    said = events.spoken({**event, "ts": at(52), "files": []})
    assert said is not None
    assert events.names_for(said["text"], lookup=lookup).users == {BO: f"Bo {community.marker}"}
    outcome = events.take_in(said, lookup=lookup)
    assert outcome == "created"
    return [said, lookup.channel_name(said), list(ProcessedSlackMessage.objects.values_list("user_name"))]


def threads_of(community: Community) -> object:
    distilling.ask_distill(CHANNEL, at(50), delay=timedelta(0))
    assert (CHANNEL, at(50)) in threads.threads_to_distill()
    assert distillation.distill_thread(CHANNEL, at(50))
    read = threads.thread_messages(CHANNEL, at(50))
    assert Corpus.now().has_rare_term("terrace")
    # As if it were a large community: then the words are looked up.
    assert Corpus(messages=400).has_rare_term(f"terrace {community.marker}")
    assert not Corpus(messages=400).has_rare_term(" ".join(community.foreign))
    documents = SlackThreadArtifact.objects.values_list("kind", "document_text", "question")
    return [threads.transcript(read), list(documents)]


def history_of(community: Community) -> object:
    """The jobs read it."""
    asked = backfill.request_history()
    reach.saw(CHANNEL, at(60), channel_name=f"general-{community.marker}")
    known = reach.reach_of_channels()
    return [asked, known, [reach.sentence(each) for each in known]]


def turns_of(_community: Community) -> object:
    """One's own are one's own; those of all are shared on purpose, and hold times only."""
    booked = [turns.book(turns.Whose.TENANT) for _ in range(2)]
    assert booked == sorted(booked)
    turns.book(turns.Whose.PLATFORM)
    return None


def withdrawing(community: Community) -> object:
    """What jobs read of the history is of this community alone."""
    rows = ProcessedSlackMessage.objects.filter(channel_id=OLD_CHANNEL)
    said = list(rows.values_list("message_text", flat=True))
    assert len(said) == 4 and all(community.marker in text for text in said)
    return [said, reach.reach_of_channels()]


def _message(community: Community, number: int, **fields: str) -> SlackMessage:
    given = {"text": LINE.format(marker=community.marker), "user_name": f"Ada {community.marker}", **fields}
    return SlackMessage(channel_id=CHANNEL, ts=at(number), user_id=ADA, thread_ts=at(20), **given)  # type: ignore[arg-type]


def _file(community: Community) -> dict[str, str]:
    address = client.slack_client().base_url.removesuffix("/api/") + FILE
    return {"id": "F1", "name": "notes.txt", "mimetype": "text/plain", "url_private": address}


DRIVERS = (connecting, names, messages, arriving, threads_of, history_of, turns_of)
TAKING_AWAY = (withdrawing,)
