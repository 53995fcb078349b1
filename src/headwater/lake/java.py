"""Finding a Java runtime that can run Spark: JAVA_HOME, then PATH, then the usual places."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import HeadwaterError, UserError

USUAL_HOMES = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")
_VERSION = re.compile(r'"?(\d+)(?:\.(\d+))?')


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A `java` binary and the major version it said it has."""

    path: Path
    major: int

    @property
    def home(self) -> Path:
        """The folder to give Spark's start scripts as JAVA_HOME."""
        return self.path.resolve().parent.parent

    @property
    def runs_spark(self) -> bool:
        return self.major == 17 or self.major >= 21


def find_java() -> JavaRuntime:
    """The first runtime that can run Spark; an error that names what was found instead if none."""
    unsuitable: JavaRuntime | None = None
    for candidate in _candidates():
        runtime = _inspect(candidate)
        if runtime is None:
            continue
        if runtime.runs_spark:
            return runtime
        unsuitable = unsuitable or runtime
    if unsuitable is None:
        raise UserError("JAVA_NOT_FOUND")
    raise UserError("JAVA_TOO_OLD", path=unsuitable.path, major=unsuitable.major)


def major_version(text: str) -> int | None:
    """The major version in a version text.

    >>> major_version("17.0.15"), major_version("1.8.0_392"), major_version("21-ea")
    (17, 8, 21)
    """
    found = _VERSION.match(text.strip())
    if found is None:
        return None
    first, second = found.groups()
    # Java 8 and older called themselves 1.8, 1.7 ...
    return int(second) if first == "1" and second else int(first)


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    for pattern in USUAL_HOMES:
        for place in sorted(glob.glob(pattern)):
            yield Path(place) / "bin" / "java"


def _inspect(java: Path) -> JavaRuntime | None:
    if not os.access(java, os.X_OK) or java.is_dir():
        return None
    # Reading a file takes microseconds, asking the binary takes 100 ms.
    return _from_release_file(java) or _from_process(java)


def _from_release_file(java: Path) -> JavaRuntime | None:
    try:
        text = (java.resolve().parent.parent / "release").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    found = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    major = major_version(found.group(1)) if found else None
    return JavaRuntime(java, major) if major else None


def _from_process(java: Path) -> JavaRuntime | None:
    command = [str(java), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = done.stderr + done.stdout
    version = re.search(r'version "([^"]+)"', said)
    major = major_version(version.group(1)) if version and done.returncode == 0 else None
    if major is None:
        return None
    # A version manager puts a script on the PATH; Spark needs the binary behind it.
    home = re.search(r"^\s*java\.home = (.+)$", said, re.MULTILINE)
    behind = Path(home.group(1).strip()) / "bin" / "java" if home else java
    return JavaRuntime(behind if os.access(behind, os.X_OK) else java, major)


def main() -> int:
    """Print the runtime that Spark would use; `make setup` asks this before it installs one."""
    try:
        runtime = find_java()
    except HeadwaterError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"java {runtime.major} in {runtime.home}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
