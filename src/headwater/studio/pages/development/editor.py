"""The editor: CodeMirror with our completion, and marks where an error lies."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from headwater.errors import Span
from headwater.sql.candidates import Candidate
from headwater.studio.editing import Cursor

Press = Callable[[], Awaitable[None]]
Complete = Callable[[str, str], Awaitable[list[Candidate]]]

CSS = """
.hw-editor { width: 100%; height: 38vh; min-height: 12rem; border: 1px solid var(--hw-line);
  border-radius: .4rem; overflow: hidden; font-size: .9rem; }
/* On the colour that themes give this line, some of their words are hard to read. */
.hw-editor .cm-activeLine { background: transparent !important; }
.hw-wrong { text-decoration: underline wavy var(--hw-bad); text-underline-offset: 3px;
  background: color-mix(in srgb, var(--hw-bad) 12%, transparent); }
"""

# The editor's own completion of SQL words would stand beside ours: only its language is taken.
# Its theme follows the page, whose darkness only the browser knows.
_SET_UP = """(async () => {
  const CM = await import("nicegui-codemirror");
  let component = null;
  for (let i = 0; i < 400 && !(component = getElement(%(id)d))?.editor; i++)
    await new Promise(resolve => setTimeout(resolve, 25));
  if (!component?.editor || component.$el.dataset.ready) return;
  const waiting = {};
  let last = 0;
  window.hwCompleted = (key, options) => waiting[key]?.(options);
  const source = async (context) => {
    const word = context.matchBefore(/[\\w`$]*/), doc = context.state.doc;
    const afterDot = doc.sliceString(word.from - 1, word.from) === ".";
    if (!context.explicit && word.from === word.to && !afterDot) return null;
    const key = ++last;
    const options = await new Promise(resolve => {
      waiting[key] = resolve;
      setTimeout(() => resolve([]), 8000);
      emitEvent("hw-complete-%(id)d", { key, before: doc.sliceString(0, context.pos),
        after: doc.sliceString(context.pos) });
    });
    delete waiting[key];
    return { from: word.from, options, validFor: /^[\\w`$]*$/ };
  };
  const language = await CM.languages.find(one => one.name === "%(language)s").load();
  const ours = "%(language)s" === "SQL" ? [{ autocomplete: source }] : [];
  component.editor.dispatch({ effects: [
    component.languageConfig.reconfigure(language.language),
    CM.StateEffect.appendConfig.of([
      CM.EditorState.languageData.of(() => ours),
      CM.EditorView.contentAttributes.of({ "aria-label": "%(language)s" }) ]) ] });
  component.$el.dataset.language = "%(language)s";
  const dark = () => document.body.classList.contains("body--dark");
  const dress = () => component.setTheme(dark() ? "vscodeDark" : "vscodeLight");
  dress();
  new MutationObserver(dress).observe(document.body, { attributeFilter: ["class"] });
  component.$el.dataset.ready = "yes";
})()"""

_CURSOR = """(() => {
  const state = getElement(%d).editor.state, { from, to } = state.selection.main;
  const count = (place) => [...state.doc.sliceString(0, place)].length;
  return [state.doc.toString(), count(from), count(to)];
})()"""

_KINDS = {"statement": "keyword", "column": "property", "table": "type", "schema": "namespace"}


class ScriptEditor:
    """An editor in the page, for SQL or Python."""

    def __init__(
        self, value: str, keys: Mapping[str, Press], complete: Complete, *, python: bool = False
    ) -> None:
        ui.add_css(CSS)
        self._complete = complete
        keymap: dict[str, Any] = dict(keys)
        self.element = ui.codemirror(value, keymap=keymap, line_wrapping=True, indent="  ")
        self.element.classes("hw-editor")
        id = self.element.id
        ui.on(f"hw-complete-{id}", self._offer)
        set_up = _SET_UP % {"id": id, "language": "Python" if python else "SQL"}
        ui.context.client.on_connect(lambda: ui.run_javascript(set_up))

    @property
    def text(self) -> str:
        """What stands in it."""
        return self.element.value or ""

    async def cursor(self) -> Cursor:
        """The text and what is marked, as the browser has it now."""
        text, start, end = await ui.run_javascript(_CURSOR % self.element.id, timeout=10)
        return Cursor(text, start, end)

    def mark(self, span: Span) -> None:
        """Show that something is wrong at a place, and go there."""
        wrong = {"kind": "mark", "from": span.start, "to": span.end, "class": "hw-wrong"}
        self.element.decorations = [wrong]
        self.element.reveal_line(self.text.count("\n", 0, span.start) + 1)

    def unmark(self) -> None:
        """Nothing is wrong any more."""
        self.element.decorations = []

    async def _offer(self, event: GenericEventArguments) -> None:
        given = event.args
        found = await self._complete(given["before"], given["after"])
        options = [
            {"label": one.text, "type": _KINDS.get(one.kind, "keyword"), "detail": _detail(one)}
            for one in found
        ]
        ui.run_javascript(f"window.hwCompleted({int(given['key'])}, {_script_json(options)})")


def _detail(candidate: Candidate) -> str | None:
    return None if candidate.kind in ("keyword", "statement") else candidate.kind


def _script_json(value: object) -> str:
    """JSON that is also JavaScript."""
    return json.dumps(value)
