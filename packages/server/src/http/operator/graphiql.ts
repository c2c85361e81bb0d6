import { createHash } from 'node:crypto';
import { headersOf } from '../middleware/security-headers.ts';
import type { Page } from './page.ts';

interface Content {
  readonly html: string;
  readonly headers: ReturnType<typeof headersOf>;
}

const firstQuery = `# Your API key goes under Headers below.
# Then re-fetch the schema (the arrows on the left).
{
  vaults {
    data {
      id
      name
      documentCount
    }
    pagination {
      totalCount
    }
  }
}
`;

const firstHeaders = '{ "x-api-key": "" }';

/**
 * GraphiQL for browsers that open `/graphql`, in one file of its package: 9 MB, made when it is first
 * asked for. Whatever else asks there is answered as GraphQL.
 */
export function graphiqlPage(https: boolean): Page {
  let content: Promise<Content> | undefined;
  return async (ctx) => {
    if (ctx.method !== 'GET' || ctx.accepts('application/json', 'text/html') !== 'text/html') {
      return false;
    }
    content ??= render(https);
    const { html, headers } = await content;
    for (const [name, value] of headers) ctx.set(name, value);
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    ctx.body = html;
    return true;
  };
}

async function render(https: boolean): Promise<Content> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Document Vault: GraphQL',
    defaultQuery: firstQuery,
    headers: firstHeaders,
  });
  return { html, headers: policyOf(scriptOf(html), https) };
}

/** The one script of the page. */
function scriptOf(html: string): string {
  const opening = '<script>';
  return html.slice(html.indexOf(opening) + opening.length, html.lastIndexOf('</script>'));
}

/** Lets the page run its own script, its workers among it, and ask this server; nothing else. */
function policyOf(script: string, https: boolean) {
  const digest = createHash('sha256').update(script).digest('base64');
  return headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [`'sha256-${digest}'`],
        workerSrc: ['blob:'],
        // The editor writes its styles itself.
        styleSrc: ["'unsafe-inline'"],
        imgSrc: ['data:'],
        fontSrc: ['data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    xXssProtection: false,
    strictTransportSecurity: https,
  });
}
