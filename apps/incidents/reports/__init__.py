"""Reports of incidents, as sentences and as Markdown."""

from apps.incidents.reports.parts import Done, Section
from apps.incidents.reports.reporting import Report, report_of

__all__ = ["Done", "Report", "Section", "report_of"]
