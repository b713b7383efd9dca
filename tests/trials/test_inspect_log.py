"""Inspect logs: statuses, verdicts and columns, from deflated and zstd archives and from JSON."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.reading import read_file, read_trials

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "iat", "model": "openai/gpt-4o", "dataset": {"samples": 3}},
}
NAN = float("nan")


def sample(name: object, value: object = "C", **extra: Any) -> dict[str, Any]:
    """Build a sample as Inspect logs it; `score` extends the score, `stop` is the stop reason."""
    text = extra.pop("text", "an answer")
    stop = extra.pop("stop", "stop")
    score = {"value": value, "answer": text, "explanation": None, **extra.pop("score", {})}
    return {
        "id": name,
        "epoch": extra.pop("epoch", 1),
        "input": "q",
        "target": "t",
        "messages": [{"role": "user", "content": "q"}],
        "output": {
            "model": "gpt-4o",
            "choices": [{"message": {"role": "assistant", "content": text}, "stop_reason": stop}],
            "completion": text,
            "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
            "time": 0.5,
        },
        "scores": {extra.pop("scorer", "match"): score},
        "metadata": {},
        "events": [{"event": "model"}],
        **extra,
    }


def members(samples: list[dict[str, Any]], header: dict[str, Any]) -> dict[str, bytes]:
    files = {"header.json": json.dumps(header).encode()}
    for number, entry in enumerate(samples):
        files[f"samples/{number}_epoch_{entry['epoch']}.json"] = json.dumps(entry).encode()
    files["summaries.json"] = b"[]"
    return files


def deflated(path: Path, samples: list[dict[str, Any]], header: dict[str, Any] = HEADER) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members(samples, header).items():
            archive.writestr(name, data)
    return path


def zstd(path: Path, samples: list[dict[str, Any]], header: dict[str, Any] = HEADER) -> Path:
    """Write a zip of method 93 by hand from the format's description (APPNOTE.TXT 4.3), with an extra field."""
    body, directory = io.BytesIO(), io.BytesIO()
    files = members(samples, header)
    for name, data in files.items():
        packed = zstandard.ZstdCompressor().compress(data)
        offset, crc, raw_name = body.tell(), zlib.crc32(data), name.encode()
        extra = struct.pack("<HH4s", 0xCAFE, 4, b"abcd")  # in the local header only
        sizes = (crc, len(packed), len(data), len(raw_name))
        body.write(struct.pack("<4s5H3I2H", b"PK\x03\x04", 63, 0, 93, 0, 0, *sizes, len(extra)) + raw_name + extra)
        body.write(packed)
        tail = (0, 0, 0, 0, 0, offset)
        directory.write(struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 63, 63, 0, 93, 0, 0, *sizes, *tail) + raw_name)
    start, length = body.tell(), directory.tell()
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, len(files), len(files), length, start, 0)
    path.write_bytes(body.getvalue() + directory.getvalue() + end)
    return path


def as_json(path: Path, samples: list[dict[str, Any]], header: dict[str, Any] = HEADER) -> Path:
    path.write_text(json.dumps({**header, "samples": samples}, indent=2), encoding="utf-8")
    return path


WRITERS: list[tuple[str, Callable[..., Path]]] = [("x.eval", deflated), ("x.eval", zstd), ("x.json", as_json)]

CASES: list[tuple[dict[str, Any], str, bool | None]] = [
    ({"value": "C"}, "valid", True),
    ({"value": "I"}, "valid", False),
    ({"value": 1.0}, "valid", True),
    ({"value": 0}, "valid", False),
    ({"value": True}, "valid", True),
    ({"value": "P"}, "malformed", None),
    ({"value": "N"}, "malformed", None),
    ({"value": "N", "text": ""}, "missing", None),
    ({"value": 0.5}, "malformed", None),
    ({"value": 7}, "malformed", None),
    ({"value": "I think it is fine"}, "malformed", None),
    ({"value": NAN}, "malformed", None),
    ({"value": NAN, "text": " "}, "missing", None),
    ({"value": None}, "malformed", None),
    ({"value": None, "text": ""}, "missing", None),
    ({"value": "I", "score": {"reason": "refusal"}}, "refusal", None),
    ({"value": "I", "score": {"reason": "invalid_response_format"}}, "malformed", None),
    ({"value": "I", "score": {"reason": "no_response"}}, "missing", None),
    ({"value": NAN, "score": {"reason": "grader_failed"}}, "error", None),
    ({"value": None, "score": {"reason": "scoring_failed"}}, "error", None),
    ({"value": "I", "stop": "content_filter"}, "filtered", None),
    ({"value": "I", "stop": "max_tokens"}, "truncated", None),
    ({"value": "I", "stop": "model_length"}, "truncated", None),
    ({"value": "N", "stop": "max_tokens", "score": {"reason": "invalid_response_format"}}, "truncated", None),
    ({"value": "I", "stop": "content_filter", "score": {"reason": "refusal"}}, "refusal", None),
    ({"value": "C", "error": {"message": "timeout", "traceback": "..."}}, "error", None),
]


@pytest.mark.parametrize(("name", "write"), WRITERS, ids=["deflate", "zstd", "json"])
def test_every_kind_of_score_has_its_status(tmp_path: Path, name: str, write: Callable[..., Path]) -> None:
    path = write(tmp_path / name, [sample(f"s{i:02d}", **dict(case)) for i, (case, _, _) in enumerate(CASES)])
    table = read_file(path)
    assert table.frame["item"].tolist() == [f"s{i:02d}" for i in range(len(CASES))]
    for (case, status, verdict), (_, row) in zip(CASES, table.frame.iterrows(), strict=True):
        assert row["status"] == status, case
        if verdict is not None:
            assert bool(row["consistent"]) is verdict, case
    assert table.frame["consistent"].isna().tolist() == [status != "valid" for _, status, _ in CASES]
    assert table.frame["judge"].unique().tolist() == ["openai/gpt-4o"]
    assert table.frame["domain"].unique().tolist() == ["iat"]
    assert table.frame.loc[10, "raw_text"] == "an answer"
    assert table.frame.loc[10, "response"] == "I think it is fine"  # the text is kept
    found = {notice.code: notice for notice in table.notices}
    assert found["undecided"].count == 5  # P, N with text, .5, 7 and the free text
    assert "'P: 1'" in found["undecided"].text
    assert found["truncated"].count == 3


def test_the_real_log(shared_data: Path) -> None:
    table = read_file(shared_data / "hibayes_judge_csv" / "minimal_test.eval")
    frame = table.frame
    assert frame["item"].tolist() == ["q1", "q2"]
    assert frame["judge"].tolist() == ["mockllm/model"] * 2
    assert frame["domain"].tolist() == ["minimal_task"] * 2
    assert frame["status"].tolist() == ["valid"] * 2
    assert frame["consistent"].tolist() == [False, False]
    assert frame["scorer"].tolist() == ["match"] * 2
    assert table.sources[0].rows == 2


def test_gzip_around_a_log(tmp_path: Path) -> None:
    for name, write in (("x.eval", zstd), ("x.json", as_json)):
        whole = write(tmp_path / name, [sample("a")]).read_bytes()
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(whole))
        assert read_file(packed).frame["status"].tolist() == ["valid"]


def test_metadata_epochs_and_the_column_map(tmp_path: Path) -> None:
    samples = [
        sample(i, epoch=e, metadata={"block": b, "domain": "race", "template": i, "extra": {"k": [1]}})
        for i, b in enumerate(["congruent", "incongruent"])
        for e in (1, 2)
    ]
    path = deflated(tmp_path / "x.eval", samples)
    bare = read_file(path).frame
    assert bare["block"].tolist() == ["congruent"] * 2 + ["incongruent"] * 2
    assert bare["domain"].unique().tolist() == ["race"]  # the metadata bear our name
    assert bare["repeat"].tolist() == ["1", "2", "1", "2"]
    assert bare["metadata.extra"].unique().tolist() == ['{"k": [1]}']
    source = TrialsSource.from_dict(
        {
            "files": "*.eval",
            "columns": {"domain": "task", "cluster": "metadata.template"},
            "constants": {"judge": "grader"},
        }
    )
    mapped = read_trials(source, tmp_path).frame
    assert mapped["domain"].unique().tolist() == ["iat"]
    assert mapped["cluster"].tolist() == ["0", "0", "1", "1"]
    assert mapped["judge"].unique().tolist() == ["grader"]


def test_declared_score_values(tmp_path: Path) -> None:
    deflated(tmp_path / "x.eval", [sample("a", "P"), sample("b", "N"), sample("c", 7)])
    source = {"files": "*.eval", "options": {"consistent": ["7"], "inconsistent": ["P", "n"]}}
    table = read_trials(TrialsSource.from_dict(source), tmp_path)
    assert table.frame["consistent"].tolist() == [False, False, True]
    assert not [notice for notice in table.notices if notice.code == "undecided"]


def test_values_that_never_are_a_verdict_are_an_error_that_names_them(tmp_path: Path) -> None:
    path = deflated(tmp_path / "x.eval", [sample("a", 7), sample("b", 7), sample("c", 3.5)])
    with pytest.raises(TrialDataError, match=r"no score value is a verdict; found '7: 2', '3.5: 1'"):
        read_file(path)


def test_a_coding_rule_takes_the_place_of_the_score(tmp_path: Path) -> None:
    """The analysis reads the answer itself; events of the log still decide."""
    samples = [
        sample("a", NAN, text="pleasant", metadata={"want": "pleasant"}),
        sample("b", NAN, text="unpleasant", metadata={"want": "pleasant"}),
        sample("c", NAN, text="pleasant", stop="content_filter", metadata={"want": "pleasant"}),
        sample("d", NAN, text="I cannot say", metadata={"want": "pleasant"}),
    ]
    deflated(tmp_path / "x.eval", samples)
    source = {
        "files": "*.eval",
        "columns": {"response": "completion"},
        "coding": {"rule": "expected_answer", "expected": "metadata.want", "labels": ["pleasant", "unpleasant"]},
    }
    frame = read_trials(TrialsSource.from_dict(source), tmp_path).frame
    assert frame["status"].tolist() == ["valid", "valid", "filtered", "malformed"]
    assert frame["consistent"].tolist()[:2] == [True, False]


def test_a_judge_that_is_asked_for_one_token_can_be_kept(tmp_path: Path) -> None:
    """An output of one token always stops at the limit; the analysis may say that this is no loss."""
    deflated(tmp_path / "x.eval", [sample("a", "C", stop="max_tokens"), sample("b", None, stop="max_tokens", text="A")])
    default = read_trials(TrialsSource(files="*.eval"), tmp_path)
    assert default.frame["status"].tolist() == ["truncated", "truncated"]
    kept = read_trials(TrialsSource(files="*.eval", options={"token_limit_is_loss": False}), tmp_path)
    assert kept.frame["status"].tolist() == ["valid", "truncated"]
    with pytest.raises(ConfigError, match="token_limit_is_loss"):
        read_trials(TrialsSource(files="*.eval", options={"token_limit_is_loss": "no"}), tmp_path)


def test_several_scorers_are_said_and_one_can_be_chosen(tmp_path: Path) -> None:
    both = sample("a")
    both["scores"]["grader"] = {"value": "I"}
    failed = {**sample("b"), "scores": {}, "error": {"message": "boom"}}
    path = deflated(tmp_path / "x.eval", [both, failed])
    table = read_file(path)
    assert sorted(zip(table.frame["item"], table.frame["scorer"], table.frame["status"], strict=True)) == [
        ("a", "grader", "valid"),
        ("a", "match", "valid"),
        ("b", "grader", "error"),
        ("b", "match", "error"),
    ]
    assert any(notice.code == "scorers" for notice in table.notices)
    one = read_trials(TrialsSource(files="*.eval", options={"scorer": "grader"}), tmp_path)
    assert one.frame["scorer"].tolist() == ["grader", "grader"]
    with pytest.raises(TrialDataError, match=r"'gradr'; did you mean 'grader'"):
        read_trials(TrialsSource(files="*.eval", options={"scorer": "gradr"}), tmp_path)
    with pytest.raises(ConfigError, match=r"'scorr' is unknown for the format inspect; did you mean 'scorer'"):
        read_trials(TrialsSource(files="*.eval", options={"scorr": "grader"}), tmp_path)


def test_a_score_of_several_values_is_several_trials(tmp_path: Path) -> None:
    path = deflated(tmp_path / "x.eval", [sample("a", {"tone": "C", "facts": "I"})])
    frame = read_file(path).frame
    assert dict(zip(frame["score_key"], frame["consistent"].astype(bool), strict=True)) == {
        "tone": True,
        "facts": False,
    }


def test_unfinished_and_unscored_logs(tmp_path: Path) -> None:
    header = {**HEADER, "status": "cancelled"}
    bare = {**sample("b", text="something"), "scores": None}
    limited = {**sample("c", text="something"), "scores": None, "limit": {"type": "token", "limit": 5}}
    table = read_file(deflated(tmp_path / "x.eval", [sample("a"), bare, limited], header))
    assert table.frame["status"].tolist() == ["valid", "malformed", "truncated"]
    codes = {notice.code: notice.text for notice in table.notices}
    assert "'cancelled'" in codes["log_status"]
    assert "2 samples have no score" in codes["unscored"]
    with pytest.raises(TrialDataError, match="no sample of the log has a score"):
        read_file(deflated(tmp_path / "y.eval", [bare]))
    with pytest.raises(TrialDataError, match="holds no trial"):
        read_file(deflated(tmp_path / "z.eval", []))


def test_a_log_without_its_final_header(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members([sample("a")], HEADER).items():
            archive.writestr(name.replace("header.json", "_journal/start.json"), data)
    assert read_file(path).frame["judge"].tolist() == ["openai/gpt-4o"]


def test_an_unknown_reason_is_named(tmp_path: Path) -> None:
    table = read_file(deflated(tmp_path / "x.eval", [sample("a", "C", score={"reason": "bored"})]))
    assert table.frame["status"].tolist() == ["valid"]
    assert any(notice.code == "unknown_reason" and "'bored'" in notice.text for notice in table.notices)


def test_a_damaged_zstd_member_is_named(tmp_path: Path) -> None:
    path = zstd(tmp_path / "x.eval", [sample("a")])
    whole = bytearray(path.read_bytes())
    place = whole.index(b"\x28\xb5\x2f\xfd", whole.index(b"samples/"))  # the frame's magic number
    for change in (place, place + 20):
        damaged = whole[:]
        damaged[change] ^= 0xFF
        path.write_bytes(bytes(damaged))
        with pytest.raises(TrialDataError, match=r"x\.eval"):
            read_file(path)


def test_a_zstd_bomb_stops_at_what_the_directory_declares(tmp_path: Path) -> None:
    """The member holds 50 MB where its headers declare as little as a sample takes."""
    path = zstd(tmp_path / "x.eval", [sample("a")])
    data = json.dumps(sample("a")).encode()
    packed = zstandard.ZstdCompressor().compress(data)
    bomb = zstandard.ZstdCompressor().compress(data + b" " * 50_000_000)
    whole = path.read_bytes()
    assert whole.count(packed) == 1
    patched = whole.replace(packed, bomb).replace(
        struct.pack("<II", len(packed), len(data)), struct.pack("<II", len(bomb), len(data))
    )
    shift = len(bomb) - len(packed)
    end = patched.rindex(b"PK\x05\x06")
    start = struct.unpack_from("<I", patched, end + 16)[0] + shift
    patched = patched[: end + 16] + struct.pack("<I", start) + patched[end + 20 :]
    last = patched.rindex(b"PK\x01\x02")  # summaries.json lies behind the bomb
    offset = struct.unpack_from("<I", patched, last + 42)[0] + shift
    path.write_bytes(patched[: last + 42] + struct.pack("<I", offset) + patched[last + 46 :])
    with pytest.raises(TrialDataError, match=r"samples/0_epoch_1\.json' cannot be unpacked"):
        read_file(path)
