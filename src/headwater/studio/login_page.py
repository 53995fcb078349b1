"""The page on which one logs in: plain HTML that needs no script. Pure."""

from __future__ import annotations

from html import escape

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in · Headwater Studio</title>
<style>
:root {{ color-scheme: light dark; --line: #64748b; --accent: #0f766e; --focus: #0f766e; }}
@media (prefers-color-scheme: dark) {{ :root {{ --line: #94a3b8; --focus: #5eead4; }} }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center;
  font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }}
main {{ width: min(24rem, calc(100vw - 2rem)); }}
h1 {{ font-size: 1.4rem; margin: 0 0 1rem; }}
label {{ display: block; margin: .8rem 0 .2rem; font-size: .9rem; }}
input {{ width: 100%; box-sizing: border-box; padding: .55rem .7rem; font: inherit;
  border: 1px solid var(--line); border-radius: .4rem; background: Field; color: FieldText; }}
button {{ margin-top: 1.2rem; width: 100%; padding: .6rem; font: inherit; color: #fff;
  background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }}
input:focus-visible, button:focus-visible {{ outline: 3px solid var(--focus);
  outline-offset: 2px; }}
.problem {{ padding: .6rem .8rem; border-left: 4px solid #dc2626; background: #dc262618; }}
.hint {{ font-size: .85rem; opacity: .75; }}
</style>
</head>
<body>
<main>
<h1>Headwater Studio</h1>
{problem}
<form method="post">
<label for="user">User</label>
<input id="user" name="user" autocomplete="username" autofocus>
<p class="hint">Leave it empty to log in with a token.</p>
<label for="secret">Password or token</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required>
<button type="submit">Log in</button>
</form>
<p class="hint">The first start of <code>headwater serve</code> printed a token of the
administrator. On the lake's own machine, <code>headwater studio</code> opens Studio without
either.</p>
</main>
</body>
</html>
"""


def login_page(problem: str | None = None) -> str:
    """The page, saying why the last try failed.

    >>> "<script>" in login_page("<script>")
    False
    """
    shown = "" if problem is None else f'<p class="problem" role="alert">{escape(problem)}</p>'
    return _PAGE.format(problem=shown)
