import { defineConfig, type Plugin } from 'vite';

/**
 * What the built pages may load and reach: themselves and the service. A key in the address bar is
 * safe only from scripts that are not there.
 */
function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        injectTo: 'head-prepend',
        attrs: {
          'http-equiv': 'Content-Security-Policy',
          content: [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            `connect-src ${process.env.VITE_VAULT_URL ?? 'http://localhost:4000'}`,
            "base-uri 'none'",
            "form-action 'none'",
          ].join('; '),
        },
      },
    ],
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contentSecurityPolicy()],
  build: { rolldownOptions: { input: ['index.html', 'open.html'] }, target: 'es2023' },
});
