"""A development home serves one run at a time, whatever happened to the runs before."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.development.house import House, HouseTaken

CLAIM = "import sys, pathlib; from scripts.development.house import House; House(pathlib.Path(sys.argv[1])).claim()"


def test_a_second_run_in_the_same_home_is_turned_away_and_touches_nothing(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.claim()
    house.describe({"pid": 1})
    with pytest.raises(HouseTaken, match="already runs"):
        House(tmp_path).claim()
    assert house.description.exists()


def test_a_run_that_ended_without_a_word_leaves_the_home_free(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CLAIM, str(tmp_path)], check=True)
    House(tmp_path).claim()
