"""Values expire, the oldest leaves a full cache, and every cache can be emptied at once."""

from __future__ import annotations

from apps.foundation.ttl_cache import TtlCache, clear_all


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_value_lasts_its_time_and_no_longer() -> None:
    clock = Clock()
    cache: TtlCache[str, int] = TtlCache(60, timer=clock)
    cache.put("a", 1)
    cache.put("b", 2, seconds=5)
    clock.now = 5.0
    assert (cache.get("a"), cache.get("b")) == (1, None)
    clock.now = 60.0
    assert cache.get("a") is None


def test_writing_again_starts_the_time_over() -> None:
    clock = Clock()
    cache: TtlCache[str, int] = TtlCache(60, timer=clock)
    cache.put("a", 1)
    clock.now = 50.0
    cache.put("a", 2)
    clock.now = 100.0
    assert cache.get("a") == 2


def test_a_full_cache_loses_what_was_written_longest_ago() -> None:
    cache: TtlCache[int, int] = TtlCache(60, max_entries=2)
    for key in (1, 2, 1, 3):
        cache.put(key, key)
    assert [cache.get(key) for key in (1, 2, 3)] == [1, None, 3]


def test_keys_and_whole_caches_can_be_dropped() -> None:
    cache: TtlCache[str, int] = TtlCache(60)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.drop("a")
    assert (cache.get("a"), cache.get("b")) == (None, 2)
    clear_all()
    assert cache.get("b") is None
