"""The block that tells the sender of an email from the account it acts for."""

from __future__ import annotations

from apps.agent.prompts.assemble import assemble, render_prompt
from apps.agent.prompts.facts import AccountFact, MailFact
from tests.agent.prompts.cast import facts, mail


def prompt_for(letter: MailFact) -> str:
    return render_prompt(facts(channel="email", mail=letter))


def test_sender_account_and_participants_stand_line_by_line() -> None:
    assert (
        "CONTEXT:\n"
        "- Email sender: Ana Assistant (ana@office.example)\n"
        "- The sender is a delegate of the resolved account: copied on earlier mail\n"
        "- Other participants of this thread (To/Cc): Lee <lee@x.example>\n"
        "- Identity of the resolved account (your account-bound tools act for this person): "
        "Maria Mentor (maria@m.example)\n"
        "- Their role: mentor\n"
        "- What is known about this account:\n"
        "> Builds masts.\n\n"
        "EMAIL CONVERSATION ETIQUETTE:\n"
    ) in prompt_for(mail())


def test_missing_lines_leave_no_gap() -> None:
    account = AccountFact(name="Maria", email="maria@m.example")
    text = prompt_for(mail(delegation_reason="", participants=(), account=account))
    assert "(ana@office.example)\n- Identity of" in text
    assert "(maria@m.example)\n\nEMAIL" in text
    assert "Their role" not in text


def test_without_an_account_nothing_is_said_about_one() -> None:
    text = prompt_for(mail(account=None))
    assert "No recognized account stands behind this email" in text
    assert "resolved account" not in text.split("TOOL USAGE")[0].replace(
        "delegate of the resolved account", ""
    )


def test_an_outside_collaborator_is_marked_as_one() -> None:
    outsider = AccountFact(name="Maria", email="m@x.example", is_member=False)
    names = [layer.name for layer in assemble(facts(channel="email", mail=mail(account=outsider)))]
    at = names.index("email.context_block")
    assert names[at + 1] == "email.non_member_mentor_addendum"
    assert "OUTSIDE COLLABORATOR" not in prompt_for(mail())


def test_mail_context_stands_between_manifest_and_preferences() -> None:
    names = [layer.name for layer in assemble(facts(channel="email", mail=mail()))]
    assert (
        names.index("manifest section 1")
        < names.index("email.context_block")
        < names.index("shared.saved_preferences")
        < names.index("shared.conversation_memory")
    )
