"""Every bad file is one error in words, never a traceback of another kind."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from judgestats.errors import ConfigError, JudgestatsError, TrialDataError
from judgestats.trials.readers.csv_file import read_csv
from judgestats.trials.reading import read_file

GOOD = "judge,domain,item,block,status,response,consistent\nj,d,1,congruent,valid,yes,true\nj,d,2,incongruent,valid,no,false\n"


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def noise(n: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(n)


def sentence(path: Path, **options: object) -> str:
    """Return the message of the TrialDataError that reading `path` raises."""
    with pytest.raises(TrialDataError) as error:
        read_file(path, **options)  # type: ignore[arg-type]
    assert path.name in error.value.sentence()
    assert error.value.exit_code == 3
    return error.value.sentence()


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".eval"])
def test_an_empty_file(tmp_path: Path, ending: str) -> None:
    assert "empty" in sentence(write(tmp_path / f"x{ending}", b"")) or ending in (".parquet", ".eval")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".eval"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_binary_noise(tmp_path: Path, ending: str, suffix: str) -> None:
    data = noise(5000)
    path = write(tmp_path / f"x{ending}{suffix}", gzip.compress(data) if suffix else data)
    sentence(path)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".eval"])
def test_short_noise_never_escapes_as_another_error(tmp_path: Path, ending: str, seed: int) -> None:
    data = noise(seed * 3 + 1, seed)
    with pytest.raises(JudgestatsError):
        read_file(write(tmp_path / f"x{ending}", data))


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_a_gzip_file_that_breaks_off(tmp_path: Path, ending: str) -> None:
    body = GOOD.encode() if ending == ".csv" else b'{"judge": "j"}\n'
    body += noise(20000).hex().encode()
    assert "gzip data is broken" in sentence(write(tmp_path / f"x{ending}.gz", gzip.compress(body)[:-4000]))


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(GOOD)).to_parquet(buffer)
    whole = buffer.getvalue()
    for cut in (4, len(whole) // 2, len(whole) - 3):
        assert "not a whole Parquet file" in sentence(write(tmp_path / f"{cut}.parquet", whole[:cut]))


def test_latin_1_names_the_offset(tmp_path: Path) -> None:
    head = GOOD.encode() + b"j,d,caf"
    text = sentence(write(tmp_path / "x.csv", head + b"\xe9,congruent,valid,yes,true\n"))
    assert f"offset {len(head)} (0xe9)" in text
    assert "iconv" in text


def test_the_offset_counts_uncompressed_bytes_beyond_the_first_chunks(tmp_path: Path) -> None:
    row = b"j,d,1,congruent,valid,yes,true\n"
    head = GOOD.encode() + row * 5000
    data = head + b"j,d,\xff,congruent,valid,yes,true\n" + row * 5000
    for path in (write(tmp_path / "x.csv", data), write(tmp_path / "y.csv.gz", gzip.compress(data))):
        assert f"offset {len(head) + 4} (0xff)" in sentence(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_byte_order_marks_are_honoured(tmp_path: Path, encoding: str, suffix: str) -> None:
    data = GOOD.replace("yes", "jä").encode(encoding)
    path = write(tmp_path / f"x.csv{suffix}", gzip.compress(data) if suffix else data)
    frame = read_file(path).frame
    assert frame["response"].tolist() == ["jä", "no"]
    assert frame["judge"].tolist() == ["j", "j"]


def test_repeated_column_names(tmp_path: Path) -> None:
    assert "'item'" in sentence(write(tmp_path / "x.csv", GOOD.replace("block", "item").encode()))
    line = '{"judge": "j", "judge": "k", "domain": "d"}\n'
    assert "'judge' twice" in sentence(write(tmp_path / "x.jsonl", line.encode()))


def test_header_only_and_short_and_long_rows(tmp_path: Path) -> None:
    assert "holds no trial" in sentence(write(tmp_path / "x.csv", GOOD.split("\n")[0].encode()))
    assert "row 3 (ends on line 4) has 2 fields and the header 7" in sentence(
        write(tmp_path / "y.csv", GOOD.encode() + b"j,d\n")
    )
    assert "row 1" in sentence(write(tmp_path / "z.csv", GOOD.replace("yes", "yes, sir").encode()))


def test_another_separator_is_named(tmp_path: Path) -> None:
    assert "separated by ';'" in sentence(write(tmp_path / "x.csv", GOOD.replace(",", ";").encode()))
    assert len(read_file(write(tmp_path / "x.tsv", GOOD.replace(",", "\t").encode())).frame) == 2
    assert len(read_csv(write(tmp_path / "y.csv", GOOD.replace(",", ";").encode()), "y", delimiter=";").frame) == 2


def test_unclosed_quotes(tmp_path: Path) -> None:
    assert "is not CSV" in sentence(write(tmp_path / "x.csv", GOOD.encode() + b'j,d,"3,congruent,valid,yes,true\n'))


def test_a_file_above_the_limit_names_size_limit_and_route(tmp_path: Path) -> None:
    for path in (
        write(tmp_path / "x.csv", GOOD.encode() * 100),
        write(tmp_path / "x.csv.gz", gzip.compress(GOOD.encode() + b"j,d,1,congruent,valid,yes,true\n" * 500)),
        write(tmp_path / "x.jsonl", b'{"judge": "j"}\n' * 1000),
    ):
        text = sentence(path, limit=1000)
        assert "up to 1000 bytes (1000 bytes) uncompressed" in text
        assert "Parquet" in text
    assert "12.5 KiB" in sentence(write(tmp_path / "y.csv", b"x" * 12_800), limit=1000)


def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    bomb = gzip.compress(GOOD.encode() + b"j,d,1,congruent,valid,yes,true\n" * 400_000)  # 12 MB out of 60 kB
    assert len(bomb) < 100_000
    assert "above the limit" in sentence(write(tmp_path / "x.csv.gz", bomb), limit=1_000_000)


def test_a_parquet_file_above_the_limit_is_read_without_the_other_columns(tmp_path: Path) -> None:
    frame = pd.read_csv(io.StringIO(GOOD), dtype=str).loc[[0] * 200].reset_index(drop=True)
    frame["item"] = [str(i) for i in range(200)]
    frame["reasoning"] = [noise(500, i).hex() for i in range(200)]
    path = tmp_path / "x.parquet"
    frame.to_parquet(path, compression=None)
    table = read_file(path, limit=100_000)
    assert len(table.frame) == 200
    assert "reasoning" not in table.frame
    assert any(notice.code == "columns_unread" and "'reasoning'" in notice.text for notice in table.notices)
    assert "reasoning" in read_file(path).frame
    assert "above the limit" in sentence(path, limit=1000)


def test_deep_nesting_and_huge_numbers(tmp_path: Path) -> None:
    sentence(write(tmp_path / "x.jsonl", b"[" * 200_000))
    sentence(write(tmp_path / "y.jsonl", b'{"judge": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001 + b"\n"))
    sentence(write(tmp_path / "z.jsonl", b'{"judge": ' + b"9" * 10_000 + b"}\n"))


def test_rows_that_are_no_objects(tmp_path: Path) -> None:
    assert "row 1 is a JSON list" in sentence(write(tmp_path / "x.json", b"[[1, 2]]"))
    assert "row 2 is a JSON int" in sentence(write(tmp_path / "x.jsonl", b'{"judge": "j"}\n7\n'))


def test_zip_bombs_and_broken_zips(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m", "task": "t"}, "status": "success"}))
        archive.writestr("samples/a.json", b" " * 2_000_000)
    assert path.stat().st_size < 10_000
    assert "above the limit" in sentence(path, limit=100_000)
    whole = path.read_bytes()
    assert "not a whole zip" in sentence(write(tmp_path / "y.eval", whole[:-30]))
    assert "not a whole zip" in sentence(write(tmp_path / "z.eval", whole[: len(whole) // 2]))
    broken = bytearray(whole)
    broken[60] ^= 0xFF  # inside the first member's data
    sentence(write(tmp_path / "w.eval", bytes(broken)))


def test_a_zip_that_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "neither header.json" in sentence(path)


def test_what_is_not_a_file_or_has_no_known_ending_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_file(tmp_path / "none.csv")
    with pytest.raises(ConfigError, match="is a folder"):
        read_file(tmp_path)
    with pytest.raises(ConfigError, match=r"'\.cvs'.*did you mean '\.csv'"):
        read_file(write(tmp_path / "x.cvs", GOOD.encode()))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "1,congruent",
            "1,congruant",
            ["'block'", "'congruant' (1 row: row 1; did you mean 'congruent'?)", "incongruent"],
        ),
        ("2,incongruent,valid", "2,incongruent,refused", ["'status'", "'refused'", "row 2", "refusal"]),
        ("no,false", "no,maybe", ["'consistent'", "'maybe'", "row 2"]),
        ("no,false", "no,", ["'consistent' is empty", "row 2"]),
        ("congruent,valid,yes,true", "congruent,refusal,yes,true", ["has a verdict", "row 1"]),
        ("congruent,valid,yes,true", "congruent,,yes,true", ["'status' is empty (NaN)", "row 1"]),
        ("judge,domain,item", "judge,domain,itm", ["'item'", "is 'itm' the item?", 'item = "itm"']),
        ("status,response", "state,response", ["'status'"]),
    ],
)
def test_words_outside_the_declared_ones(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    assert old in GOOD
    text = sentence(write(tmp_path / "x.csv", GOOD.replace(old, new, 1).encode()))
    for word in words:
        assert word in text


def test_a_response_outside_the_declared_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", GOOD.encode())
    assert read_file(path, ("yes", "no")).choice.labels == ("yes", "no")
    text = sentence(path, labels=("yes", "noo"))
    assert "'no' (1 row: row 2; did you mean 'noo'?)" in text
    assert "Allowed: yes, noo" in text
    lost = GOOD.replace("valid,no,false", "malformed,neither,")
    assert len(read_file(write(tmp_path / "y.csv", lost.encode()), ("yes",)).frame) == 2  # only valid answers count
    without = "\n".join(",".join(line.split(",")[:5] + line.split(",")[6:]) for line in GOOD.splitlines())
    assert "'response'" in sentence(write(tmp_path / "z.csv", without.encode()), labels=("yes", "no"))


def test_rows_with_gaps_are_kept_counted_and_named(tmp_path: Path) -> None:
    body = GOOD + ",d,3,congruent,valid,yes,true\nj,d,4,NaN,valid,yes,true\nj,d,5,congruent,,,\n"
    table = read_file(write(tmp_path / "x.csv", body.encode()))
    assert len(table.frame) == 5
    texts = [notice.text for notice in table.notices if notice.code == "nan"]
    assert any("'judge' is empty (NaN) in 1 rows (row 3; row 1 is line 2" in text for text in texts)
    assert any("'status' is empty (NaN) in 1 rows without a verdict (row 5; row 1 is line 2" in text for text in texts)
    assert table.frame["judge"].tolist().count("(missing)") == 1
    assert table.frame["status"].tolist().count("missing") == 1
    assert [notice.count for notice in table.notices if notice.code == "no_block"] == [1]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    body = GOOD.replace("response,", "n,").replace("yes", "3").replace("no,", "2.5,")
    assert "not counts: '2.5' (row 2; row 1 is line 2" in sentence(write(tmp_path / "x.csv", body.encode()))
    body = GOOD.replace("response,", "latency_s,").replace("yes", "0.25").replace("no,", "fast,")
    assert "'latency_s' holds 1 entries that are not numbers: 'fast' (row 2; row 1 is line 2" in sentence(
        write(tmp_path / "y.csv", body.encode())
    )
