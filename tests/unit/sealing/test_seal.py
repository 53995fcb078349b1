"""Sealed secrets: they open where they belong and nowhere else."""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.sealing.keys import KeyRing, SecretKey
from headwater.sealing.seal import is_sealed, open_sealed, reseal, seal

OLD, NEW = SecretKey(b"o" * 32), SecretKey(b"n" * 32)
RING = KeyRing((OLD,), "the test")
BOTH = KeyRing((NEW, OLD), "the test")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def sealed_for(secret: str, ring: KeyRing = RING) -> str:
    return seal(secret, ring, owner_id="c1", name="SECRET_KEY")


def opened(sealed: str, ring: KeyRing = RING) -> str:
    return open_sealed(sealed, ring, owner_id="c1", name="SECRET_KEY")


@given(secret=texts, connection=texts, name=texts)
def test_what_is_sealed_can_be_opened(secret: str, connection: str, name: str) -> None:
    sealed = seal(secret, RING, owner_id=connection, name=name)
    assert is_sealed(sealed)
    assert open_sealed(sealed, RING, owner_id=connection, name=name) == secret


@given(here=st.tuples(texts, texts), there=st.tuples(texts, texts))
def test_it_opens_nowhere_else(here: tuple[str, str], there: tuple[str, str]) -> None:
    assume(here != there)
    sealed = seal("x", RING, owner_id=here[0], name=here[1])
    with pytest.raises(UserError, match="SECRET_DAMAGED"):
        open_sealed(sealed, RING, owner_id=there[0], name=there[1])


@given(data=st.data())
def test_a_changed_byte_is_noticed(data: st.DataObject) -> None:
    version, key_id, text = sealed_for("hw-s3cret").split(":")
    content = bytearray(base64.b64decode(text))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(UserError, match="SECRET_DAMAGED"):
        opened(f"{version}:{key_id}:{base64.b64encode(content).decode()}")


@given(length=st.integers(0, 200))
def test_a_shortened_text_is_noticed(length: int) -> None:
    sealed = sealed_for("hw-s3cret")
    assume(length < len(sealed))
    with pytest.raises(UserError) as caught:
        opened(sealed[:length])
    assert "hw-s3cret" not in str(caught.value)


def test_the_same_secret_looks_different_each_time() -> None:
    assert sealed_for("x") != sealed_for("x")
    assert "hw-s3cret" not in sealed_for("hw-s3cret")


@pytest.mark.parametrize(
    "text", ["", "x", "hw1", "hw1::", "hw2:0123456789ab:AAAA", "hw1:0123456789ab:A"]
)
def test_other_texts_are_not_sealed(text: str) -> None:
    with pytest.raises(UserError, match="SECRET_DAMAGED"):
        opened(text)


def test_the_missing_key_is_named() -> None:
    with pytest.raises(UserError, match=OLD.id) as caught:
        opened(sealed_for("x"), KeyRing((NEW,), "secret.key"))
    assert caught.value.condition == "SECRET_SEALED_WITH_OTHER_KEY"


@given(secret=texts)
def test_keys_are_changed_by_resealing(secret: str) -> None:
    before = sealed_for(secret)
    after = reseal(before, BOTH, owner_id="c1", name="SECRET_KEY")
    assert opened(after, KeyRing((NEW,), "")) == secret
    assert reseal(after, BOTH, owner_id="c1", name="SECRET_KEY") == after


@pytest.mark.servers
def test_importing_the_package_loads_no_cryptography() -> None:
    code = "import sys, headwater.sealing.seal; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
