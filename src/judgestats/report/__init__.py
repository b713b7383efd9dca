"""Reports: findings to facts to pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgestats.report.findings_store import load_findings, save_findings
    from judgestats.report.write import write_report

__all__ = ["load_findings", "save_findings", "write_report"]


def __getattr__(name: str) -> Any:
    """Import on first use: pages need matplotlib, findings do not."""
    if name == "write_report":
        from judgestats.report.write import write_report

        return write_report
    if name in ("load_findings", "save_findings"):
        from judgestats.report import findings_store

        return getattr(findings_store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
