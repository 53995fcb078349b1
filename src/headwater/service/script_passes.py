"""Lets the scripts of the lake's own tasks in, as their owners."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import UserError
from headwater.runtime.passes import Passes
from headwater.service.identity import Identity, Proof


@dataclass(frozen=True, slots=True)
class ScriptPasses:
    """Knows the passes of scripts that run now."""

    passes: Passes

    def authenticate(self, proof: Proof) -> Identity | None:
        """Whose script asks; None when it is none, or its owner may do nothing any more."""
        if proof.user is not None:
            return None
        try:
            return self.passes.whose(proof.secret)
        except UserError:
            return None
