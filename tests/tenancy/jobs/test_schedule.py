"""Beat rows follow the queue table; an operator's pause survives a restart."""

from __future__ import annotations

from django_celery_beat.models import IntervalSchedule, PeriodicTask

from apps.foundation import broker
from apps.tenancy.jobs.schedule import TickScheduler, write_beat_rows
from apps.tenancy.models import QueueJob
from tests.tenancy.jobs.conftest import Handle, nothing

QUEUE = "principal-roster-sweep"
NAME = f"root: {QUEUE}"


def row() -> PeriodicTask:
    return PeriodicTask.objects.get(name=NAME)


def test_a_handled_schedule_becomes_a_row(db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    write_beat_rows()
    assert (row().interval.every, row().interval.period, row().enabled) == (21600, "seconds", True)


def test_a_pause_survives_and_edits_do_not(db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    write_beat_rows()
    hourly = IntervalSchedule.objects.create(every=1, period=IntervalSchedule.HOURS)
    PeriodicTask.objects.filter(name=NAME).update(enabled=False, interval=hourly, args='["email-inbound"]')
    write_beat_rows()
    assert (row().enabled, row().interval.every, row().args) == (False, 21600, f'["{QUEUE}"]')


def test_a_restart_does_not_postpone_the_next_tick(db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    write_beat_rows()
    before = row().last_run_at
    write_beat_rows()
    assert row().last_run_at == before


def test_rows_of_queues_nobody_handles_leave(db: None, handle: Handle) -> None:
    PeriodicTask.objects.create(
        name="root: follow-up-swoop", task="root.tick", interval=IntervalSchedule.objects.create(every=9)
    )
    write_beat_rows()
    assert not PeriodicTask.objects.filter(name="root: follow-up-swoop").exists()


def test_a_due_entry_writes_one_tick_and_needs_no_broker(committed_db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    PeriodicTask.objects.all().delete()
    write_beat_rows()
    scheduler = TickScheduler(app=broker.app)
    for _ in range(len(scheduler.schedule) + 3):
        scheduler.tick()
    scheduler.close()
    assert [(job.tick, job.tenant_id) for job in QueueJob.objects.filter(queue=QUEUE)] == [(True, None)]
    assert row().total_run_count == 1


def test_a_paused_entry_writes_none(committed_db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    write_beat_rows()
    PeriodicTask.objects.filter(name=NAME).update(enabled=False)
    scheduler = TickScheduler(app=broker.app)
    for _ in range(len(scheduler.schedule) + 3):
        scheduler.tick()
    scheduler.close()
    assert not QueueJob.objects.filter(queue=QUEUE).exists()


def test_entries_added_by_hand_are_not_run(committed_db: None) -> None:
    PeriodicTask.objects.create(
        name="mine", task="os.system", interval=IntervalSchedule.objects.create(every=9)
    )
    assert "mine" not in TickScheduler(app=broker.app).schedule
