"""How Studio looks: one style sheet, light and dark."""

from __future__ import annotations

CSS = """
:root { --hw-accent: #0f766e; --hw-line: #e2e8f0; --hw-soft: #f1f5f9; --hw-muted: #475569;
  --hw-good: #15803d; --hw-bad: #b91c1c; --hw-warn: #a16207; --hw-run: #1d4ed8;
  --hw-text: #0f172a; --hw-page: #fff; }
.body--dark { --hw-accent: #2dd4bf; --hw-line: #334155; --hw-soft: #1e293b; --hw-muted: #94a3b8;
  --hw-good: #4ade80; --hw-bad: #f87171; --hw-warn: #facc15; --hw-run: #93c5fd; --hw-text: #e2e8f0;
  --hw-page: #111a2b; --q-dark-page: #0b1220; --q-dark: #111a2b; --q-primary: #0d9488 !important;
  --q-negative: #ef4444 !important; }
/* Darker behind words than as words on the page, and lighter as words on what is not the page. */
.body--dark .bg-primary { --q-primary: #0f766e; }
.body--dark .bg-negative { --q-negative: #dc2626; }
.body--dark .hw-header, .body--dark .hw-error { --q-primary: #2dd4bf; }
.body--light { background: #fff; } .body--dark { background: #0b1220; }
body { overflow-x: hidden; }
.hw-header .hw-link { white-space: nowrap; }
.nicegui-content { padding: 1rem 1.25rem 3rem; width: 100%; align-items: stretch; }
.hw-header { background: var(--hw-soft); color: inherit; border-bottom: 1px solid var(--hw-line); }
.hw-drawer { border-right: 1px solid var(--hw-line); padding: .5rem; }
.hw-nav { display: flex; gap: .7rem; align-items: center; padding: .45rem .7rem; width: 100%;
  border-radius: .4rem; color: inherit; text-decoration: none; }
.hw-nav:hover { background: var(--hw-soft); }
.hw-nav[aria-current=page] { background: var(--hw-soft); color: var(--hw-accent);
  font-weight: 600; }
.hw-skip { position: absolute; left: -999px; } .hw-skip:focus { left: 1rem; top: .5rem;
  z-index: 9999; background: var(--hw-soft); padding: .4rem .8rem; }
:focus-visible { outline: 2px solid var(--hw-accent); outline-offset: 2px; }
/* Quasar paints over what was pressed last, although nobody looks for it any more. */
.q-tab > .q-focus-helper { display: none; } .q-tab:hover { background: var(--hw-soft); }
.hw-rest { position: absolute; top: -4px; left: 0; z-index: 2; }
.hw-title { font-size: 1.35rem; font-weight: 600; margin: 0 !important; line-height: 1.3;
  overflow-wrap: anywhere; }
.hw-muted { color: var(--hw-muted); } .hw-mono { font-family: ui-monospace, monospace; }
.hw-link { color: var(--hw-accent); text-decoration: none; overflow-wrap: anywhere; }
.hw-link:hover { text-decoration: underline; }
.hw-card { border: 1px solid var(--hw-line); border-radius: .5rem; padding: .9rem 1rem;
  min-width: 0; width: 100%; }
.hw-sql { font-family: ui-monospace, monospace; font-size: .85rem; white-space: pre-wrap;
  overflow-wrap: anywhere; background: var(--hw-soft); border-radius: .4rem; padding: .6rem .8rem;
  margin: 0; width: 100%; }
.hw-chip { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .78rem;
  border: 1px solid color-mix(in srgb, currentColor 45%, transparent); white-space: nowrap; }
.hw-chip[data-hint]:focus { white-space: normal; border-radius: .6rem; }
.hw-chip[data-hint]:focus::after { content: ": " attr(data-hint); }
.hw-good { color: var(--hw-good); } .hw-bad { color: var(--hw-bad); }
.hw-warn { color: var(--hw-warn); } .hw-run { color: var(--hw-run); }
.hw-error { border-left: 4px solid var(--hw-bad); background: var(--hw-soft);
  padding: .7rem .9rem; border-radius: .3rem; width: 100%; overflow-wrap: anywhere; }
.hw-empty { border: 1px dashed var(--hw-line); border-radius: .5rem; padding: 2rem 1rem;
  text-align: center; width: 100%; }
.hw-facts { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .3rem 1rem;
  width: 100%; margin: 0; }
.hw-facts dt { color: var(--hw-muted); } .hw-facts dd { margin: 0; overflow-wrap: anywhere; }
.hw-table { width: 100%; max-width: 100%; }
.hw-table td { max-width: 28rem; overflow-wrap: break-word; white-space: normal !important; }
.hw-table td a { overflow-wrap: break-word; }
.hw-table td a[href*="/compute/jobs/"] { overflow-wrap: anywhere; display: inline-block;
  min-width: 5.25rem; }
.hw-table thead th { font-weight: 600; }
.hw-listing { display: flex; flex-direction: column; gap: .75rem; width: 100%; min-width: 0; }
.hw-listing .q-input { max-width: 14rem; }
.hw-list { max-height: 70vh; display: flex; flex-direction: column; }
.hw-list thead th { position: sticky; top: 0; z-index: 1; background: var(--hw-page); }
.hw-list .hw-away td { padding: 0; border: 0; }
.hw-list .hw-away { overflow-anchor: none; }
.hw-list .hw-row-buttons, .hw-list .hw-moment { white-space: nowrap !important; }
.hw-row-buttons .q-btn { font-size: 12px !important; }
.hw-sort { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit; white-space: nowrap; }
.hw-sort .q-icon { margin-left: .15rem; opacity: 0; }
.hw-sort:hover .q-icon, .hw-sort:focus-visible .q-icon { opacity: .45; }
.hw-sort .q-icon.hw-sorted { opacity: 1; }
.hw-cell { max-height: 8rem; max-width: 28rem; min-width: 3rem; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.hw-flow { display: flex; gap: 1rem; overflow-x: auto; width: 100%; padding-bottom: .5rem; }
.hw-flow > div { min-width: 12rem; max-width: 20rem; }
/* Fields grow along their row; beside no other they would grow downwards. */
.hw-panel > .q-field { flex-grow: 0; }
.q-btn--dense.q-btn--rectangle { padding: .2rem .6rem; }
.hw-strip { display: inline-flex; gap: 3px; vertical-align: middle; }
.hw-strip i { width: 9px; height: 16px; border-radius: 2px; background: currentColor; }
.hw-bar { display: inline-block; width: 5rem; height: .5rem; border-radius: .25rem;
  background: var(--hw-line); overflow: hidden; vertical-align: middle; }
.hw-bar i { display: block; height: 100%; background: currentColor; }
.hw-filters { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; width: 100%; }
.hw-filters .q-select, .hw-filters .q-input { min-width: 9rem; flex: 0 1 12rem; }
.hw-graph { position: relative; overflow: auto; max-height: 70vh; border: 1px solid var(--hw-line);
  border-radius: .5rem; flex: 1 1 24rem; min-width: 0; }
.hw-graph svg { position: absolute; left: 0; top: 0; pointer-events: none; }
.hw-graph path { fill: none; stroke: var(--hw-muted); stroke-width: 1.5; opacity: .7; }
.hw-node { position: absolute; text-align: left; border: 1px solid var(--hw-line);
  border-left: 4px solid currentColor; border-radius: .4rem; background: var(--hw-soft);
  padding: .3rem .5rem; overflow: hidden; font: inherit; cursor: pointer; }
.hw-node > * { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.hw-node .hw-name { font-weight: 600; color: var(--hw-text); } .hw-node small { display: block; }
.hw-node small { color: var(--hw-muted); }
.hw-node[aria-pressed=true] { box-shadow: 0 0 0 2px var(--hw-accent); }
.hw-node.hw-plain { color: var(--hw-muted); }
.hw-side { flex: 0 1 20rem; min-width: 15rem; }
.hw-water { position: relative; height: 1.1rem; background: var(--hw-soft); border-radius: .2rem; }
.hw-water i { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: .2rem;
  background: var(--hw-accent); }
.hw-water-row { display: grid; grid-template-columns: minmax(7rem, 16rem) 1fr 5rem; gap: .6rem;
  align-items: center; width: 100%; font-size: .85rem; }
/* Quasar insists on showing what is a block. */
@media (max-width: 600px) { .hw-show-sql .block { font-size: 0; line-height: 0; }
  .hw-show-sql .on-left { margin-right: 0; } .nicegui-content { padding: .7rem .7rem 3rem; }
  .hw-facts { grid-template-columns: 1fr; } .hw-facts dt { margin-top: .4rem; }
  /* A row is a card, and the head of the columns a line of words to sort by. */
  .hw-list table, .hw-list thead, .hw-list tbody, .hw-list tr { display: block; }
  .hw-list thead tr { display: flex; flex-wrap: wrap; height: auto !important; }
  .hw-list thead th { padding: 0 .3rem 0 .75rem; height: 1.9rem; border: 0 !important;
    display: flex; align-items: center; position: static; }
  .hw-list .hw-away tr { height: auto !important; } .hw-list .hw-away td { display: block; }
  .hw-list .hw-rows tr { height: auto !important; padding: .4rem 0;
    border-top: 1px solid var(--hw-line); }
  .hw-list .hw-rows td { display: flex; justify-content: space-between;
    gap: 1rem; width: auto; max-width: none; height: auto; min-height: 1.7rem; border: 0;
    padding: .1rem .75rem !important; text-align: right; overflow-wrap: anywhere; }
  .hw-list .hw-rows td > * { min-width: 0; }
  .hw-list .hw-rows td::before { content: attr(data-label) !important;
    position: static !important; background: none !important; color: var(--hw-muted);
    text-align: left; flex: none; font-family: Roboto, sans-serif; }
  .hw-list .hw-rows td:not([data-label])::before,
  .hw-list .hw-rows td:empty { display: none; } }
"""
