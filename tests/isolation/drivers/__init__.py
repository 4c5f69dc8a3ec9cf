"""What each app can do for a community, done once for each; a driver runs for all three at the same moment.

A driver gets its community inside the context and returns whatever it was told, which is searched for foreign words.
To cover something new, write a function in the file of its app and name it in that file's ``DRIVERS``.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.isolation.cast import Community

Driver = Callable[[Community], object]


def in_order() -> list[Driver]:
    """All of them: who there is first, then what they know, then what is said about it."""
    from tests.isolation.drivers import (
        agent,
        channels,
        integrations,
        jobs,
        knowledge,
        sending,
        slack,
        sources,
        talk,
        tenancy,
    )

    first = (
        integrations.CONNECTING,
        tenancy.DRIVERS,
        sources.DRIVERS,
        talk.FIRST,
        slack.DRIVERS,
        knowledge.DRIVERS,
    )
    then = (
        integrations.DRIVERS,
        talk.DRIVERS,
        agent.DRIVERS,
        talk.AFTERWARDS,
        channels.DRIVERS,
        sending.DRIVERS,
        jobs.DRIVERS,
    )
    return [each for part in (*first, *then) for each in part]


def at_the_end() -> list[Driver]:
    """What takes things away again, once all else has been seen."""
    from tests.isolation.drivers import agent, knowledge, slack, sources, talk, tenancy

    return [
        *slack.TAKING_AWAY,
        *talk.TAKING_AWAY,
        *agent.TAKING_AWAY,
        *tenancy.TAKING_AWAY,
        *sources.TAKING_AWAY,
        *knowledge.TAKING_AWAY,
    ]
