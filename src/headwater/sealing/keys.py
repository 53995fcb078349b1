"""The keys that seal secrets, and where they come from.

In this order: HEADWATER_SECRET_KEY, the file that HEADWATER_SECRET_KEY_FILE names, `secret.key` in
the lake folder. The last one is made when the first secret is sealed. There may be several keys,
one per line, the newest first: it seals, and all of them open, which is how keys are changed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import UserError

KEY_VARIABLE = "HEADWATER_SECRET_KEY"
FILE_VARIABLE = "HEADWATER_SECRET_KEY_FILE"
FILE_NAME = "secret.key"
_SIZE = 32
_HEX = re.compile(r"[0-9A-Fa-f]{64}\Z")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class SecretKey:
    """One key of 32 bytes, with a name that gives nothing away."""

    content: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """The same for the same key; made by hashing, so that it can be shown."""
        return hashlib.sha256(b"headwater secret key" + self.content).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys that are known, newest first; `source` says in words where they come from."""

    keys: tuple[SecretKey, ...]
    source: str

    @property
    def newest(self) -> SecretKey:
        """The one that seals."""
        return self.keys[0]

    def find(self, key_id: str) -> SecretKey | None:
        """The key with that name."""
        return next((key for key in self.keys if key.id == key_id), None)


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where a lake's keys come from; reads them anew each time it is asked."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def load(self) -> KeyRing:
        """The keys, to open secrets with; an error if there are none."""
        if given := self.environment.get(KEY_VARIABLE):
            return KeyRing(_parse(given, KEY_VARIABLE), KEY_VARIABLE)
        path = self._path()
        return KeyRing(_parse(_read(path), str(path)), str(path))

    def load_or_create(self) -> KeyRing:
        """The keys, to seal with; makes `secret.key` in the lake folder if there is no key yet."""
        if self._is_ours() and not self._path().exists():
            _create(self._path(), _line(_new_key()))
        return self.load()

    def add_key(self) -> KeyRing:
        """A new key in front of those in `secret.key`; reseal everything, then drop the old."""
        if not self._is_ours():
            raise UserError("SECRET_KEY_NOT_OURS", source=self._source())
        if self._path().exists():
            _replace(self._path(), _line(_new_key()) + _lines(self.load().keys))
        return self.load_or_create()

    def keep_newest(self) -> KeyRing:
        """Forget the old keys, once nothing is sealed with them any more."""
        if not self._is_ours():
            raise UserError("SECRET_KEY_NOT_OURS", source=self._source())
        _replace(self._path(), _line(self.load().newest))
        return self.load()

    def _path(self) -> Path:
        named = self.environment.get(FILE_VARIABLE)
        return Path(named).expanduser() if named else self.folder / FILE_NAME

    def _is_ours(self) -> bool:
        return not (self.environment.get(KEY_VARIABLE) or self.environment.get(FILE_VARIABLE))

    def _source(self) -> str:
        return KEY_VARIABLE if self.environment.get(KEY_VARIABLE) else FILE_VARIABLE


def _new_key() -> SecretKey:
    return SecretKey(secrets.token_bytes(_SIZE))


def _line(key: SecretKey) -> str:
    return base64.b64encode(key.content).decode() + "\n"


def _lines(keys: tuple[SecretKey, ...]) -> str:
    return "".join(_line(key) for key in keys)


def _parse(text: str, source: str) -> tuple[SecretKey, ...]:
    keys = tuple(SecretKey(_content(word, source)) for word in text.split())
    if not keys:
        raise UserError("SECRET_KEY_MALFORMED", source=source)
    return keys


def _content(word: str, source: str) -> bytes:
    try:
        content = bytes.fromhex(word) if _HEX.match(word) else base64.b64decode(word, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if len(content) != _SIZE:
        # The word may be a key with a typing error, so it is not shown.
        raise UserError("SECRET_KEY_MALFORMED", source=source)
    return content


def _read(path: Path) -> str:
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            # Of the file that is open, not of the name, which may mean another file by now.
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                raise UserError("SECRET_KEY_FILE_EXPOSED", path=path)
            return file.read()
    except OSError as error:
        raise UserError("SECRET_KEY_FILE_MISSING", path=path, reason=error.strerror) from None


def _create(path: Path, text: str) -> None:
    """A new file, unless another process was faster: then its key is the key."""
    temporary = _written(path, text)
    try:
        with suppress(FileExistsError):
            os.link(temporary, path)
    except OSError as error:
        raise UserError("SECRET_KEY_FILE_MISSING", path=path, reason=error.strerror) from None
    finally:
        temporary.unlink()


def _replace(path: Path, text: str) -> None:
    os.replace(_written(path, text), path)


def _written(path: Path, text: str) -> Path:
    """A finished file beside `path` that nobody else may read, from its first moment on."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(opened)
    except OSError as error:
        raise UserError("SECRET_KEY_FILE_MISSING", path=path, reason=error.strerror) from None
    return temporary
