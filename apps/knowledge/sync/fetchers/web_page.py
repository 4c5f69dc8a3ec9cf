"""One page of the web, of which the article is kept (contract §11.1)."""

from __future__ import annotations

from dataclasses import replace

from apps.foundation.http import HttpReply
from apps.knowledge.chunking import text_of
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync import decoding, walls
from apps.knowledge.sync.article import WebPage, read_article
from apps.knowledge.sync.calling import call
from apps.knowledge.sync.documents import Document, Fetched
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.normalize import normalized

ARTICLE_CHARS = "article_chars"
_ACCEPT = {"accept": "text/html,application/xhtml+xml,text/plain;q=0.8", "accept-language": "*"}


def fetch(source: KnowledgeSource, run: KnowledgeSyncRun) -> Fetched:
    """The article, or :class:`SyncFailure` with the reason why there is none."""
    reply = call(source, headers=_ACCEPT)
    try:
        return one_article(source, run, reply)
    except SyncFailure as failure:
        failure.http_status = failure.http_status or reply.status
        raise


def one_article(
    source: KnowledgeSource, run: KnowledgeSyncRun, reply: HttpReply, *, wanted: str = "auto"
) -> Fetched:
    """An answer that is one document, with the length the next one is compared with."""
    document = _article_document(source, reply, wanted=wanted)
    length = article_chars(document)
    refuse_shrunken(source, run, length)
    return Fetched(documents=(document,), received=1, http_status=reply.status, article_chars=length)


def article_chars(document: Document) -> int:
    """How much there is to read in what came, before the model shortens it."""
    if document.content_html is not None:
        return len(text_of(document.content_html))
    return len((document.content_text or "").strip())


def _article_document(source: KnowledgeSource, reply: HttpReply, *, wanted: str) -> Document:
    """The one document of an answer that is a page or plain text; raises :class:`SyncFailure`."""
    if not reply.body.strip():
        raise SyncFailure("The source answered with an empty page.")
    decoding.refuse_unreadable(reply)
    asked = source.url or ""
    if decoding.mode_of(reply, wanted=wanted) != "html":
        return _plain(source, decoding.as_text(reply))
    page = read_article(decoding.as_text(reply), url=reply.url)
    walls.refuse_walls(page, asked=asked, arrived=reply.url)
    return _of_page(page, asked=asked, source=source)


def refuse_shrunken(source: KnowledgeSource, run: KnowledgeSyncRun, length: int) -> None:
    """Compares with what was stored the last time, unless an admin said that less is right."""
    if run.input_payload.get("options", {}).get("accept_shorter"):
        return
    known = KnowledgePage.objects.filter(knowledge_source_id=source.pk, external_id=source.url)
    stored = known.values_list("content_text", flat=True).first()
    if stored is None:
        return
    good = KnowledgeSyncRun.objects.filter(source=source, status=KnowledgeSyncRun.Status.SUCCEEDED)
    came = (
        good.filter(metadata__has_key=ARTICLE_CHARS)
        .order_by("-finished_at")
        .values_list("metadata", flat=True)
    )
    last = (came.first() or {}).get(ARTICLE_CHARS, 0)
    walls.refuse_shrunken(length, before=max(len(stored), last))


def _plain(source: KnowledgeSource, text: str) -> Document:
    walls.refuse_too_little(text.strip())
    given = {"external_id": source.url, "title": source.name, "content_text": text, "source_url": source.url}
    return normalized([given])[0][0]


def _of_page(page: WebPage, *, asked: str, source: KnowledgeSource) -> Document:
    title = page.title or source.name
    documents, problems = normalized(
        [
            {
                "external_id": asked,
                "title": title,
                "content_html": page.html,
                "source_url": asked,
                "author_name": page.author,
                "knowledge_date": page.day,
            }
        ]
    )
    if problems:
        raise SyncFailure(f"The page cannot be stored: {problems[0].reason}.")
    # Who wrote it and when is said anew by some sites with each visit.
    return replace(documents[0], raw=(title, page.html))
