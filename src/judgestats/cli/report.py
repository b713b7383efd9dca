"""``judgestats report``: the pages of a finished run, written again."""

from __future__ import annotations

from judgestats.cli.options import AsJson, Debug, ReportFolder
from judgestats.cli.session import Voice, guarded


@guarded
def report(folder: ReportFolder, as_json: AsJson = False, debug: Debug = False) -> None:
    """Write the pages of a finished run again from its stored findings, for instance with a newer version."""
    from judgestats.study.pages import rewrite_pages

    paths = rewrite_pages(folder)
    text = f"{len(paths)} files written; open {folder / 'index.html'}"
    Voice(as_json).result(text, {"index": str(folder / "index.html"), "files": [str(path) for path in paths]})
