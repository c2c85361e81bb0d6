/** The style sheet of all pages. */
export const styles = `:root {
  color-scheme: light dark;
  --back: light-dark(#f2f4f8, #0f1218);
  --card: light-dark(#fff, #181c25);
  --text: light-dark(#161b26, #edf0f7);
  --soft: light-dark(#525c6f, #a8b1c3);
  --line: light-dark(#d5dbe6, #333b4c);
  --field: light-dark(#6b7688, #8691a6);
  --accent: light-dark(#1f4e79, #8fbef0);
  --on-accent: light-dark(#fff, #0c1a2a);
  --caution: light-dark(#fff4d6, #3a2f10);
  --problem: light-dark(#fde8e6, #451d1a);
  --wrong: light-dark(#b3261e, #f2938c);
  font: 1rem / 1.5 system-ui, sans-serif;
  color: var(--text);
  background: var(--back);
}
* { box-sizing: border-box; }
body { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
header { color: var(--accent); font-weight: 600; }
main {
  margin-top: 1rem;
  padding: clamp(1.1rem, 5vw, 2rem);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--card);
}
h1 { margin: 0 0 1rem; font-size: clamp(1.3rem, 1.15rem + 1vw, 1.6rem); line-height: 1.25; }
h1, p, dd, label { overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
form > :first-child { margin-top: 0; }
label { display: block; }
input:not([type='checkbox']) {
  width: 100%;
  min-height: 2.75rem;
  margin: 0.25rem 0 1rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--field);
  border-radius: 0.5rem;
  font: inherit;
  color: inherit;
  background: var(--back);
}
input[aria-invalid='true'] { border: 2px solid var(--wrong); }
button {
  flex: 1 1 8rem;
  min-height: 2.75rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  font: inherit;
  font-weight: 600;
  color: var(--on-accent);
  background: var(--accent);
  cursor: pointer;
}
button.quiet { color: var(--accent); background: transparent; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; }
dl { display: grid; gap: 0.5rem; margin: 0 0 1rem; }
dl > div { display: grid; grid-template-columns: 9rem 1fr; gap: 0 0.75rem; }
dt, .note, code { color: var(--soft); }
dd { margin: 0; font-weight: 600; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
legend { margin-bottom: 0.5rem; padding: 0; font-weight: 600; }
.choice {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: 0.25rem 0.75rem;
  padding: 0.6rem 0;
  border-top: 1px solid var(--line);
}
.choice input { width: 1.25rem; height: 1.25rem; margin: 0.15rem 0 0; accent-color: var(--accent); }
.choice code { display: block; font-size: 0.85rem; }
.choice p { grid-column: 2; margin: 0.25rem 0 0; }
.caution, [role='alert'] { padding: 0.6rem 0.8rem; border-radius: 0.5rem; }
.caution { background: var(--caution); }
[role='alert'] { background: var(--problem); }
.code { font: 600 1.4rem / 1.4 ui-monospace, monospace; letter-spacing: 0.12em; }
p.code { text-align: center; }
@media (max-width: 28rem) {
  dl > div { grid-template-columns: 1fr; }
}
`;
