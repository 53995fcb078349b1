"""Writes docs/reference/metrics.md from the metrics themselves."""

from __future__ import annotations

from pathlib import Path

from headwater.service.metrics import METRICS, Metric

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics.md"

_HEAD = """\
# Metrics

`GET /metrics` of the [service](../how-to/serve.md), in the format of Prometheus, with a token.
Counters and histograms count from the start of the process; gauges are read from the catalog when
the page is asked for. [A dashboard for Grafana](../operations/grafana-dashboard.json) and
[alert rules](../operations/alert-rules.yml) use these names. This page is made by
`scripts/metrics_page.py`.

| Metric | Kind | Labels | What it says |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(map(_line, METRICS))


def _line(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels) or "-"
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
