/** The style sheet of all pages. Colours and shapes are those of the web console. */
export const styles = `:root {
  color-scheme: light dark;
  --page: light-dark(#f3f4f7, #0c0e12);
  --card: light-dark(#fff, #171a21);
  --hover: light-dark(#f0f1f5, #20242e);
  --line: light-dark(#e3e5eb, #2a2f3b);
  --line-strong: light-dark(#c9cdd8, #3e4556);
  --control-line: light-dark(#8a91a2, #6b7489);
  --text: light-dark(#171a23, #e9ebf1);
  --soft: light-dark(#585f70, #a3abbd);
  --accent: light-dark(#4353d6, #98a5ff);
  --accent-strong: light-dark(#3644bd, #b0baff);
  --on-accent: light-dark(#fff, #12151f);
  --warn: light-dark(#7d4f00, #f0c16a);
  --warn-ground: light-dark(#fdf2dc, #352912);
  --good: light-dark(#13693f, #6fd6a2);
  --good-ground: light-dark(#e3f4ea, #16301f);
  --bad: light-dark(#b3202f, #ff9aa2);
  --bad-ground: light-dark(#fdebec, #3b191d);
  --shadow: 0 1px 2px light-dark(rgb(20 24 40 / 6%), rgb(0 0 0 / 40%));
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace;
  font: 0.9375rem / 1.5 system-ui, sans-serif;
  color: var(--text);
  background: var(--page);
  accent-color: var(--accent);
}
* { box-sizing: border-box; }
h1, p, dl, dd, fieldset { margin: 0; padding: 0; border: 0; }
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; padding: 1rem; }
.card {
  display: grid;
  gap: 1.25rem;
  width: min(28rem, 100%);
  padding: clamp(1.25rem, 6vw, 2rem);
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--card);
  box-shadow: var(--shadow);
}
header { display: flex; gap: 0.55rem; align-items: center; font-weight: 650; letter-spacing: -0.01em; }
header svg { flex: none; width: 24px; height: 24px; color: var(--accent); }
header .lines { stroke: var(--card); }
main, form { display: grid; gap: 1.25rem; min-width: 0; }
main { gap: 1rem; }
h1 { font-size: 1.375rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.012em; text-wrap: balance; }
h1, p, dd, label { overflow-wrap: anywhere; }
p { text-wrap: pretty; }
.field { display: grid; gap: 0.3rem; }
.field label, legend { font-weight: 550; }
.field input {
  width: 100%;
  min-width: 0;
  min-height: 2.75rem;
  padding: 0.3rem 0.75rem;
  border: 1px solid var(--control-line);
  border-radius: 0.5rem;
  font: inherit;
  color: inherit;
  background: var(--card);
}
.field input[aria-invalid='true'] { border-color: var(--bad); }
button {
  flex: 1 1 8rem;
  min-height: 2.75rem;
  padding: 0.3rem 1rem;
  border: 1px solid transparent;
  border-radius: 0.5rem;
  font: inherit;
  font-weight: 550;
  color: var(--on-accent);
  background: var(--accent);
  box-shadow: var(--shadow);
  white-space: nowrap;
  cursor: pointer;
}
button:hover { background: var(--accent-strong); }
button.quiet { border-color: var(--line-strong); color: var(--text); background: var(--card); }
button.quiet:hover { background: var(--hover); }
form.inline { display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; color: var(--soft); font-size: 0.875rem; }
button.link {
  flex: none;
  min-height: 1.75rem;
  padding: 0 0.25rem;
  border: 0;
  color: var(--accent);
  background: none;
  box-shadow: none;
  text-decoration: underline;
}
button.link:hover { color: var(--accent-strong); background: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.field input:focus-visible { border-color: var(--accent); outline-offset: -1px; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.6rem; }
dl { display: grid; gap: 0.6rem; padding: 0.85rem 1rem; border: 1px solid var(--line); border-radius: 0.75rem; }
dl > div { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0 0.75rem; }
dt, .note, code { color: var(--soft); }
.note { font-size: 0.875rem; }
.note + .note { margin-top: -0.75rem; }
dd { font-weight: 550; }
code { font-family: var(--mono); font-size: 0.8125rem; overflow-wrap: anywhere; }
legend { margin-bottom: 0.4rem; padding: 0; }
.choice {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: 0.35rem 0.75rem;
  padding: 0.65rem 0;
  border-top: 1px solid var(--line);
}
.choice:last-child { border-bottom: 1px solid var(--line); }
.choice input { width: 1.15rem; height: 1.15rem; margin: 0.15rem 0 0; }
.choice code { display: block; }
.choice p { grid-column: 2; }
.caution, .verified, [role='alert'] { padding: 0.6rem 0.8rem; border-radius: 0.5rem; font-size: 0.875rem; }
.caution { color: var(--warn); background: var(--warn-ground); }
.verified { color: var(--good); background: var(--good-ground); }
[role='alert'] { color: var(--bad); background: var(--bad-ground); }
.code { font: 600 1.375rem / 1.4 var(--mono); letter-spacing: 0.12em; }
.field input.code { font: 600 1.25rem / 1.4 var(--mono); text-align: center; text-transform: uppercase; }
p.code { padding: 0.85rem 1rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--page); text-align: center; }
@media (max-width: 26rem) {
  body { padding: 0.5rem; }
  dl > div { grid-template-columns: 1fr; }
}
`;
