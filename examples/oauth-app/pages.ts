/** What the page of a signed-in user shows. */
export interface VaultsView {
  /** Undefined without the scope `users:read`. */
  readonly name: string | undefined;
  /** Names of the vaults; undefined without the scope `vaults:read`. */
  readonly vaults: readonly string[] | undefined;
}

export function welcomePage(): string {
  return page('Vault list', `<p>This app shows the names of your vaults.</p>${signInButton}`);
}

export function vaultsPage({ name, vaults }: VaultsView): string {
  const heading = name === undefined ? 'Your vaults' : `Vaults of ${escaped(name)}`;
  return page(heading, `${listOf(vaults)}${button('/sign-out', 'Sign out')}`);
}

export function problemPage(message: string): string {
  return page('Vault list', `<p role="alert">${escaped(message)}</p>${signInButton}`);
}

const signInButton = button('/sign-in', 'Sign in with Document Vault');

function listOf(vaults: VaultsView['vaults']): string {
  if (vaults === undefined) return '<p>You have not agreed that this app sees your vaults.</p>';
  if (vaults.length === 0) return '<p>You have no vaults yet.</p>';
  return `<ul>${vaults.map((vault) => `<li>${escaped(vault)}</li>`).join('')}</ul>`;
}

function button(action: string, text: string): string {
  return `<form method="post" action="${action}"><button>${text}</button></form>`;
}

/** @param heading HTML */
function page(heading: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vault list</title>
<link rel="stylesheet" href="/style.css">
</head>
<body><main><h1>${heading}</h1>${content}</main></body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Names come from users: as HTML, they could run scripts. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
