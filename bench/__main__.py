"""`python -m bench [name ...]`: run the benchmarks, all of them if none is named.

Every run keeps its figures and makes docs/benchmarks.md anew from the newest of each benchmark. The
exit code is 1 if a target was missed.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from types import ModuleType

from bench.figures import Figures, keep, kept_figures, taken_now
from bench.outcome import Findings
from bench.report import PAGE, all_passed, as_table, notes, write_page
from bench.scratch import ROOT, scratch

# Each is a module of this package. Those that need a process without Spark come first.
BENCHMARKS = (
    "cold_show",
    "list_objects",
    "pipe_idle",
    "pipe_million",
    "schedule_tick",
    "studio",
    "cold_select",
    "show_desc",
    "select_overhead",
    "http_statements",
    "service_load",
    "write_overhead",
    "copy_files",
    "pipe_files",
    "pipe_latency",
    "pipe_kafka",
    "stream_changes",
    "apply_changes",
    "refresh_fixed_cost",
    "refresh_base_size",
    "tpch_refresh",
    "medallion",
    "scale_out",
    "wave",
    "freshness",
)


def main() -> int:
    """Run what was asked for and print one table."""
    arguments = _arguments()
    modules = {name: _module(name) for name in BENCHMARKS}
    if arguments.list:
        for name, module in modules.items():
            print(f"{name:16} {_method(module)}")
        return 0
    findings: dict[str, Findings] = {}
    figures = kept_figures(BENCHMARKS)
    methods = {name: _method(module) for name, module in modules.items()}
    with scratch(profile=arguments.profile) as place:
        for name in BENCHMARKS:
            if name in (arguments.names or BENCHMARKS):
                findings[name] = modules[name].run(place)
                figures[name] = taken_now(findings[name], load=os.getloadavg()[0])
                _publish(figures, methods)
        place.say("done")
    print(as_table(findings))
    print("\n".join(["", *notes(findings), "", f"written to {PAGE.relative_to(ROOT)}"]))
    return 0 if all_passed(findings) else 1


def _publish(figures: dict[str, Figures], methods: dict[str, str]) -> None:
    """Keep what is known so far: a run that is ended later has not been for nothing."""
    keep({name: figures[name] for name in BENCHMARKS if name in figures})
    write_page(kept_figures(BENCHMARKS), methods=methods)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="Run Headwater's benchmarks.")
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--profile", action="store_true", help="also print where the time goes")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(
            f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}"
        )
    return arguments


def _module(name: str) -> ModuleType:
    return import_module(f"bench.{name}")


def _method(module: ModuleType) -> str:
    """The first sentence of a benchmark's own description."""
    return (module.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
