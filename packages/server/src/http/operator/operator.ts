import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Readiness } from '../../domain/instances/health.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Networks } from '../client-address.ts';
import type { Step } from '../state.ts';
import { docsPages } from './docs.ts';
import { graphiqlPage } from './graphiql.ts';
import type { Page } from './page.ts';

export interface OperatorOptions {
  /** Whether the server has begun to shut down. */
  readonly isClosing: () => boolean;
  readonly readiness: Readiness;
  /** Whether the database was found damaged. */
  readonly isDamaged: () => boolean;
  readonly metrics: Metrics;
  /** Who may read them. */
  readonly metricsNetworks: Networks;
  readonly blocked: Networks;
  /** Whether clients reach the server by https. */
  readonly https: boolean;
  /** Whether browsers are shown GraphiQL. */
  readonly graphiql: boolean;
  readonly log: Logger;
}

/**
 * What is for those who run the server, and no part of the contract: no credentials, no limits, no
 * log lines. Whatever is not found here goes on to the contract's own way.
 */
export function serveOperators(options: OperatorOptions): Step {
  const { blocked, log } = options;
  const pages = new Map<string, Page>([
    ['/health/live', answerLive],
    ['/health/ready', readyPage(options)],
    ['/metrics', metricsPage(options)],
    ...docsPages(options.https),
    ...(options.graphiql ? [['/graphql', graphiqlPage(options.https)] as const] : []),
  ]);
  return async (ctx, next) => {
    const page = pages.get(pathOf(ctx.req));
    const reads = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!page || !reads || blocked.includes(ctx.state.visitor.ipAddress)) return next();
    try {
      if (await page(ctx)) return;
    } catch (err) {
      log.error({ requestId: ctx.state.visitor.requestId, path: ctx.req.url, err }, 'page failed');
      ctx.status = 500;
      ctx.body = { status: 'failed' };
      return;
    }
    await next();
  };
}

/** The request's own text: a target that is no path at all is for others to refuse. */
function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const answerLive: Page = async (ctx) => {
  ctx.body = { status: 'live' };
  return true;
};

function readyPage({ isClosing, isDamaged, readiness }: OperatorOptions): Page {
  const problemsNow = async () => {
    if (isClosing()) return ['shutting down'];
    if (isDamaged()) return ['the database is damaged'];
    return readiness();
  };
  return async (ctx) => {
    const problems = await problemsNow();
    const ready = problems.length === 0;
    ctx.status = ready ? 200 : 503;
    ctx.body = ready ? { status: 'ready' } : { status: 'not ready', problems };
    return true;
  };
}

function metricsPage({ metrics, metricsNetworks }: OperatorOptions): Page {
  return async (ctx) => {
    if (!metricsNetworks.includes(ctx.state.visitor.ipAddress)) return false;
    const { contentType, text } = await metrics.page();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
    return true;
  };
}
