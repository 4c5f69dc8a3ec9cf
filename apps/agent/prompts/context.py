"""The context block: community, manifest, mail, preferences, memory, in that order (contract §4.5)."""

from __future__ import annotations

from apps.agent.prompts.facts import AccountFact, MailFact
from apps.agent.prompts.layers import Layer
from apps.agent.prompts.parts import Parts, quoted
from apps.foundation.text import clean, one_line

_PREFERENCES_SHOWN = 100


def context_block(parts: Parts) -> list[Layer]:
    """Everything this turn should know before the rules start."""
    return [*_community(parts), *_manifest(parts), *_mail(parts), *_preferences(parts), *_memory(parts)]


def _community(parts: Parts) -> list[Layer]:
    about = clean(parts.facts.community_context).strip()
    return parts.text("shared.community_context", origin="tenant", communityContext=about) if about else []


def _manifest(parts: Parts) -> list[Layer]:
    texts = (clean(section).strip() for section in parts.facts.manifest_sections)
    return [
        Layer(name=f"manifest section {number}", origin="manifest", text=text)
        for number, text in enumerate(texts, start=1)
        if text
    ]


def _mail(parts: Parts) -> list[Layer]:
    mail = parts.facts.mail
    if mail is None:
        return []
    if mail.account is None:
        return parts.text("email.sender_context_block", origin="person", **_mail_lines(mail))
    block = parts.text(
        "email.context_block", origin="person", **_mail_lines(mail), **_account_values(mail.account)
    )
    return block if mail.account.is_member else [*block, *parts.text("email.non_member_mentor_addendum")]


def _mail_lines(mail: MailFact) -> dict[str, str]:
    """The lines stand glued in the template: all but the first present one bring their own line break."""
    reason = one_line(mail.delegation_reason, limit=500)
    others = ", ".join(filter(None, (one_line(name, limit=160) for name in mail.participants[:50])))
    lines = {
        "senderLine": f"- Email sender: {_person(mail.sender_name, mail.sender_email)}",
        "delegationLines": f"- The sender is a delegate of the resolved account: {reason}" if reason else "",
        "threadParticipantsLine": f"- Other participants of this thread (To/Cc): {others}" if others else "",
    }
    return {name: line if name == "senderLine" or not line else f"\n{line}" for name, line in lines.items()}


def _account_values(account: AccountFact) -> dict[str, str]:
    profile = quoted(account.profile, limit=2000)
    email = one_line(account.email)
    return {
        "resolvedAccountName": one_line(account.name, limit=120) or email,
        "resolvedAccountEmail": email,
        "resolvedAccountRole": one_line(account.role, limit=160),
        "resolvedAccountProfileLine": f"- What is known about this account:\n{profile}" if profile else "",
    }


def _person(name: str, email: str) -> str:
    named, address = one_line(name, limit=120), one_line(email)
    return f"{named} ({address})" if named and address else named or address or "unknown"


def _preferences(parts: Parts) -> list[Layer]:
    wishes = (one_line(wish, limit=1000) for wish in parts.facts.preferences[:_PREFERENCES_SHOWN])
    listed = "\n".join(f"- {wish}" for wish in wishes if wish)
    return parts.text("shared.saved_preferences", origin="person", preferences=listed) if listed else []


def _memory(parts: Parts) -> list[Layer]:
    memory = quoted(parts.facts.memory)
    return parts.text("shared.conversation_memory", origin="person", memory=memory) if memory else []
