"""Where GET writes: a local folder and nothing outside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import UserError
from headwater.storage.addresses import checked_path


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """A folder to write into. Links below it are not followed: they may lead out of it."""

    path: Path

    @classmethod
    def of(cls, text: str) -> LocalFolder:
        """The folder that a statement names; it need not exist yet."""
        path = Path(os.path.expanduser(text)).absolute()
        if os.path.lexists(path) and not os.path.isdir(path):
            raise UserError("LOCAL_FILE_UNWRITABLE", path=path, reason="it is a file, not a folder")
        return cls(path)

    def place(self, relative: str) -> Path:
        """The path of a file below the folder; nothing is made yet."""
        return self.path / checked_path(relative)

    def make_folders(self, file: Path) -> None:
        """Make the folders on the way to a file of this folder."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            folder = self.path
            for segment in file.relative_to(self.path).parts[:-1]:
                folder /= segment
                if folder.is_symlink():
                    reason = f"{folder} is a symbolic link"
                    raise UserError("LOCAL_FILE_UNWRITABLE", path=file, reason=reason)
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise UserError("LOCAL_FILE_UNWRITABLE", path=file, reason=error.strerror) from None
