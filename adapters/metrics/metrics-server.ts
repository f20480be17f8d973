import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { equalsSecret } from '../crypto/equals-secret.ts';
import { closeAtOnce, type ListenAddress, listen } from '../process/listen.ts';

export interface MetricsServerOptions extends ListenAddress {
  /** What a reader has to present as `Authorization: Bearer <token>`. */
  readonly token: string;
  readonly contentType: string;
  /** All metrics as they are now, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

/** Scrapers that hold a connection at once. */
const MOST_CONNECTIONS = 20;
const HEADERS_WITHIN_MS = 10_000;

/**
 * Tells a scraper the metrics of a process, on a listener of its own: `GET /metrics`, with the token. Whoever has no token learns nothing,
 * not even which paths there are. Readers who ask at the same time get the same text.
 * @throws CONFLICT when the port is in use
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<{ close(): Promise<void> }> {
  let collecting: Promise<string> | null = null;
  const collect = (): Promise<string> => {
    collecting ??= options.text().finally(() => {
      collecting = null;
    });
    return collecting;
  };
  const limits = { headersTimeout: HEADERS_WITHIN_MS, requestTimeout: HEADERS_WITHIN_MS };
  const server = createServer(limits, (request, response) => {
    const refusal = refusalOf(request, options.token);
    if (refusal !== null) return answer(response, refusal);
    collect().then(
      (body) => answer(response, { status: 200, type: options.contentType, body }),
      () => answer(response, { status: 500, body: 'the metrics cannot be collected\n' }),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, options);
  return { close: () => closeAtOnce(server) };
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusalOf({ method, url, headers }: IncomingMessage, token: string): Answer | null {
  if (!isKnown(headers.authorization, token)) {
    return { status: 401, body: 'a token is needed\n', headers: { 'www-authenticate': 'Bearer' } };
  }
  if (url?.split('?', 1)[0] !== '/metrics') return { status: 404, body: 'no such path\n' };
  if (method === 'GET' || method === 'HEAD') return null;
  return { status: 405, body: 'only GET\n', headers: { allow: 'GET, HEAD' } };
}

function isKnown(authorization: string | undefined, token: string): boolean {
  const [, presented] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return presented !== undefined && equalsSecret(presented, token);
}

function answer(response: ServerResponse, { status, body, headers, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers });
  response.end(body);
}
