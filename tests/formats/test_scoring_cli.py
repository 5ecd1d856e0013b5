"""Scoring files from the command line."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.formats import scoring_cli
from tests.aem.builders import call, gold, golden

DIALOG = [
    {
        "turn_no": 1,
        "turn": "Tool",
        "gold_turn": {"tool_id": "a", "args": {}},
        "predict_turn": {"tool_id": "a", "args": {}},
    }
]


def record(record_id: Any = "r1", tool: str = "a") -> dict[str, Any]:
    return {"format": "aem/1", "id": record_id, "golden": golden(gold("g1", tool)), "trajectory": {"turns": [call()]}}


def run(tmp_path: Path, *texts: str, stdin: str = "", **options: Any) -> tuple[int, list[dict[str, Any]], list[str]]:
    names = []
    for number, text in enumerate(texts):
        path = tmp_path / f"f{number}.json"
        path.write_text(text, encoding="utf-8")
        names.append(str(path))
    out: list[str] = []
    err: list[str] = []
    report = scoring_cli.Report(out=out.append, err=err.append)
    status = scoring_cli.run(names or ["-"], report, stdin=io.BytesIO(stdin.encode()), **options)
    return status, [json.loads(line) for line in out], err


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (json.dumps(record()), ["r1"]),
        (json.dumps(record(), indent=2), ["r1"]),
        (json.dumps([record(), record(7)]), ["r1", 7]),
        (json.dumps(record()) + "\n\n" + json.dumps(record("r2")) + "\n", ["r1", "r2"]),
        (json.dumps(DIALOG), [None]),
        (json.dumps([DIALOG, record()]), [None, "r1"]),
        (json.dumps(DIALOG) + "\n" + json.dumps(DIALOG), [None, None]),
        (json.dumps(record(None)), [None]),
    ],
)
def test_what_is_read(tmp_path: Path, text: str, ids: list[Any]) -> None:
    status, results, err = run(tmp_path, text)
    assert (status, err) == (0, [])
    assert [result.get("id") for result in results] == ids
    for result in results:
        assert result["test_pass"]
        assert next(iter(result)) == ("id" if "id" in result else "path")


def test_standard_input(tmp_path: Path) -> None:
    status, results, _ = run(tmp_path, stdin=json.dumps(record()))
    assert (status, len(results)) == (0, 1)


def test_a_gate_fails_with_a_test(tmp_path: Path) -> None:
    text = json.dumps([record(), record("r2", "b")])
    assert run(tmp_path, text)[0] == 0
    assert run(tmp_path, text, is_gate=True)[0] == 1
    assert run(tmp_path, json.dumps(record()), is_gate=True)[0] == 0


def test_bad_records_are_named_and_the_others_scored(tmp_path: Path) -> None:
    broken = record("bad")
    broken["golden"]["paths"][0]["turns"][0]["weight"] = -1
    lines = [json.dumps(record()), "{oops", json.dumps(broken), json.dumps(record("r2", "b")), json.dumps(5)]
    status, results, err = run(tmp_path, "\n".join(lines), is_gate=True)
    assert status == 2
    assert [result["id"] for result in results] == ["r1", "r2"]
    assert len(err) == 3
    assert all(line.startswith(str(tmp_path / "f0.json")) for line in err)
    assert "line 2" in err[0]
    assert 'line 3: record 3: id "bad": golden.paths[0].turns[0].weight: must not be negative' in err[1]
    assert "line 5" in err[2]


@pytest.mark.parametrize("text", ["", "[]", "[5]", "{}", '[{"turn_no": 1}]', '{"format": "aem/1"}', "nonsense"])
def test_bad_files(tmp_path: Path, text: str) -> None:
    status, results, err = run(tmp_path, text, json.dumps(record()))
    assert (status, len(results), len(err)) == (2, 1, 1)


def test_a_list_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    status, results, err = run(tmp_path, json.dumps([record(), record("r2")])[:-20])
    assert (status, len(results), len(err)) == (2, 1, 1)


def test_a_missing_file_and_a_missing_trajectory_are_named(tmp_path: Path) -> None:
    gold_only = record()
    del gold_only["trajectory"]
    status, _, err = run(tmp_path, json.dumps(gold_only))
    assert (status, "trajectory: is missing" in err[0]) == (2, True)
    report = scoring_cli.Report(out=lambda line: None, err=err.append)
    assert scoring_cli.run([str(tmp_path / "none")], report, stdin=io.BytesIO()) == 2
    assert "none" in err[-1]


def test_a_policy_fills_what_records_leave_open(tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    failing = record()
    failing["golden"]["paths"][0]["turns"].append(gold("g2", "b", critical=True))
    policy.write_text('{"composition": {"rule": "gated"}}', encoding="utf-8")
    assert run(tmp_path, json.dumps(failing), policy_file=str(policy))[1][0]["success_rate"] == 0
    for text, word in (('{"scorer": "x"}', "policy.scorer"), ("{", "policy"), ("[]", "must be an object")):
        policy.write_text(text, encoding="utf-8")
        status, results, err = run(tmp_path, json.dumps(failing), policy_file=str(policy))
        assert (status, results, word in err[0]) == (2, [], True)


def test_a_scorer_that_is_not_installed_costs_the_record(tmp_path: Path) -> None:
    asking = {**record(), "policy": {"scorer": "judge"}}
    status, results, err = run(tmp_path, json.dumps([asking, record("r2")]))
    assert (status, len(results), "judge" in err[0]) == (2, 1, True)


def test_the_command_needs_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([record(), record("r2", "b")]), encoding="utf-8")
    call_command("score", str(path))
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ["r1", "r2"]
    with pytest.raises(SystemExit) as left:
        call_command("score", str(path), "--gate")
    assert left.value.code == 1


def test_the_command_needs_neither_a_database_nor_a_folder_to_write_into(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(
        '{"format": "aem/1", "id": "r", "golden": {"paths": [{"id": "main", "turns": [{"id": "g", "tool": "t"}]}]},'
        ' "trajectory": {"turns": [{"tool": "t", "args": {}}]}}'
    )
    blocked = tmp_path / "file"
    blocked.write_text("no folder can be made below a file")
    environment = {
        name: value for name, value in os.environ.items() if name not in {"SECRET_KEY", "DATABASE_URL", "AEM_LOCAL"}
    } | {"AEM_DATA_DIR": str(blocked / "var"), "DJANGO_SETTINGS_MODULE": "aem_site.settings"}
    manage = Path(__file__).resolve().parents[2] / "manage.py"
    done = subprocess.run(
        [sys.executable, str(manage), "score", str(path)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["success_rate"] == 1.0
