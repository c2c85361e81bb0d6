import type { Readiness } from '../../domain/instances/health.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Networks } from '../addresses.ts';
import { type Context, pathOf } from '../request.ts';
import { consolePages, consolePath, rootPage } from './console.ts';
import { docsPages, graphiqlPage, type OperatorPage, redirectTo } from './pages.ts';
import { sharePages } from './share-page.ts';

export interface OperatorOptions {
  /** Whether the server has begun to shut down. */
  readonly isClosing: () => boolean;
  readonly readiness: Readiness;
  /** Whether the database was found damaged. */
  readonly isDamaged: () => boolean;
  readonly metrics: Metrics;
  /** The addresses that may read them. */
  readonly metricsNetworks: Networks;
  readonly blocked: Networks;
  /** Whether clients reach the server by https. */
  readonly https: boolean;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly graphiql: boolean;
  /** Whether the server has the web console. */
  readonly console: boolean;
}

export type OperatorPages = ReturnType<typeof createOperatorPages>;

/** Every page can be read, and nothing else. */
const methods: readonly string[] = ['GET', 'HEAD'];

/**
 * The pages of the server: those for operators, the console, and the page of share links. They are no part of the contract:
 * they need no credentials, count towards no limit and write no log line. Every other request belongs to the
 * contract, and so does the error of a page that fails.
 */
export function createOperatorPages(options: OperatorOptions) {
  const { blocked } = options;
  const pages = new Map<string, OperatorPage>([
    ['/health/live', async () => ({ status: 200, body: { status: 'live' } })],
    ['/health/ready', readyPage(options)],
    ['/metrics', metricsPage(options)],
    ...docsPages(options.https),
    ...sharePages(options.https),
    ['/', rootPage(options.console ? 'console/' : 'share/')],
    ...(options.console ? [['/console', redirectTo('console/')] as const] : []),
    ...(options.graphiql ? [['/graphql', graphiqlPage(options.https)] as const] : []),
  ]);
  const consolePage = options.console ? consolePages(options.https) : undefined;
  const pageOf = (path: string) => {
    const isConsole = consolePage && path.startsWith(consolePath);
    return isConsole ? consolePage(path) : pages.get(path);
  };
  return {
    find({ req, state }: Context): OperatorPage | undefined {
      const page = pageOf(pathOf(req));
      const reads = methods.includes(req.method ?? '');
      return page && reads && !blocked.includes(state.visitor.ipAddress) ? page : undefined;
    },
    /** Returns the methods of a path; none when it has no page. */
    methodsOf: (path: string) => (pageOf(path) ? methods : []),
  };
}

function readyPage({ isClosing, isDamaged, readiness }: OperatorOptions): OperatorPage {
  const problemsNow = async () => {
    if (isClosing()) return ['shutting down'];
    if (isDamaged()) return ['the database is damaged'];
    return readiness();
  };
  return async () => {
    const problems = await problemsNow();
    return problems.length === 0
      ? { status: 200, body: { status: 'ready' } }
      : { status: 503, body: { status: 'not ready', problems } };
  };
}

function metricsPage({ metrics, metricsNetworks }: OperatorOptions): OperatorPage {
  return async ({ state }) => {
    if (!metricsNetworks.includes(state.visitor.ipAddress)) return undefined;
    const { contentType, text } = await metrics.page();
    return { status: 200, type: contentType, body: text };
  };
}
