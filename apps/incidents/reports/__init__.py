"""Reports of incidents, as sentences and as Markdown."""

from apps.incidents.reports.reporting import Done, Report, Section, report_of

__all__ = ["Done", "Report", "Section", "report_of"]
