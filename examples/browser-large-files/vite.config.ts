import { defineConfig, type Plugin } from 'vite';

/** What the built page may load and reach: itself and the service. */
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
            "worker-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "media-src 'self'",
            "frame-src 'self'",
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
  build: { target: 'es2023' },
  // A service worker controls the pages below its own address, which must not change.
  worker: { rolldownOptions: { output: { entryFileNames: '[name].js' } } },
});
