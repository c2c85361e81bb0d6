/** The pages of OAuth: sign in, consent, device code, error. */

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);
}

export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/oauth/pages.css">
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${content}
</main></body>
</html>
`;
}

export interface Field {
  readonly name: string;
  readonly value: string;
}

export const hidden = ({ name, value }: Field) =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

export const form = (action: string, content: string) =>
  `<form method="post" action="${escapeHtml(action)}">${content}</form>`;

export const styles = 'main { max-width: 30rem; margin: 2rem auto; font-family: sans-serif; }';
