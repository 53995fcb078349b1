"""The folder of a lake: what is in it, when a path is one, and how it becomes one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headwater.config import FILE_NAME, TEMPLATE
from headwater.errors import UserError

_KEPT = ("tables", "volumes")


@dataclass(frozen=True, slots=True)
class LakeFolder:
    """The places inside a lake folder."""

    path: Path

    @property
    def catalog_url(self) -> str:
        """The default metadata database."""
        return f"sqlite:///{self.catalog}"

    @property
    def catalog(self) -> Path:
        """The file of the default metadata database."""
        return self.path / "catalog.db"

    def require_catalog(self) -> None:
        """Refuse a lake that holds files and no catalog: a new one would not know them."""
        if self.catalog.exists() and self.catalog.stat().st_size > 0:
            return
        for name in _KEPT:
            if any(path.is_file() for path in (self.path / name).rglob("*")):
                raise UserError("CATALOG_MISSING", path=self.catalog, held=name)

    @property
    def scratch(self) -> Path:
        """What Spark needs to exist and nobody needs to keep."""
        return self.path / ".spark"

    @property
    def spark_log(self) -> Path:
        """What the JVM wrote."""
        return self.path / "logs" / "spark.log"

    def table_location(self, schema: str, name: str, table_id: str) -> str:
        """The folder of a new table, as seen from the lake folder, so that a lake can be moved.

        The id keeps a dropped table of the same name apart.
        """
        return f"tables/{schema}/{name}-{table_id}"


def open_folder(path: str | Path, *, create: bool = True) -> LakeFolder:
    """The lake at `path`; a missing or empty folder becomes a new lake when `create` is set."""
    folder = Path(path).expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise UserError("NOT_A_LAKE", path=folder, reason="it is a file")
    if (folder / FILE_NAME).exists():
        return LakeFolder(folder)
    try:
        empty = not folder.exists() or not any(folder.iterdir())
    except OSError as error:
        raise UserError("NOT_A_LAKE", path=folder, reason=str(error)) from None
    if not empty:
        raise UserError("NOT_A_LAKE", path=folder, reason=f"it has files but no {FILE_NAME}")
    if not create:
        raise UserError("LAKE_NOT_FOUND", path=folder)
    return create_folder(folder)


def create_folder(folder: Path) -> LakeFolder:
    """Make `folder` a lake: write its settings file if it has none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        settings = folder / FILE_NAME
        if not settings.exists():
            settings.write_text(TEMPLATE, encoding="utf-8")
    except OSError as error:
        raise UserError("LAKE_NOT_WRITABLE", path=folder, problem=error.strerror) from None
    return LakeFolder(folder)
