import { Agent, createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy-3';
import { answerError, type EdgeError } from './error-page.ts';
import { parseHost } from './host-name.ts';
import { createRouteCache, type FindRoute } from './route-cache.ts';

export interface EdgeServerOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  readonly onError: (error: unknown) => void;
}

const UNKNOWN: EdgeError = {
  status: 404,
  title: 'Nothing is deployed here',
  advice: 'Deploy it with fairlead deploy, or check the address.',
};
const UNREACHABLE: EdgeError = {
  status: 502,
  title: 'The service does not answer',
  advice: 'Its container may be starting again. See fairlead status and fairlead logs.',
};

/** Faults of a kept-alive connection that the other side had just given up: the request never reached the service. */
const STALE_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED']);
/** A client may not say who it is forwarded for: the router says it. */
const UNTRUSTED_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto'];

/**
 * The local router: reaches each service by its host name, streaming both ways, WebSockets included. A request without
 * a body that fails on a stale connection is sent once more, to wherever the route leads then.
 */
export function createEdgeServer({ routesDirectory, domain, onError }: EdgeServerOptions): Server {
  const findRoute = createRouteCache(routesDirectory);
  const agent = new Agent({ keepAlive: true, maxSockets: 1024, maxFreeSockets: 64 });
  const proxy = createProxyServer({ agent, xfwd: true, proxyTimeout: 300_000 });
  const retried = new WeakSet<IncomingMessage>();

  const forward = (request: IncomingMessage, response: ServerResponse, buffer?: Readable): void => {
    const target = lookUp(findRoute, request, domain, onError);
    if (target === null) answerError(request, response, UNKNOWN);
    else proxy.web(request, response, { target, ...(buffer === undefined ? {} : { buffer }) });
  };

  proxy.on('error', (error, request, response) => {
    if (!(response instanceof ServerResponse)) {
      response.destroy();
      return;
    }
    if (!retried.has(request) && !response.headersSent && canRepeat(request, error)) {
      retried.add(request);
      forward(request, response, Readable.from([]));
      return;
    }
    if (!request.destroyed) onError(error);
    answerError(request, response, UNREACHABLE);
  });

  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 0 },
    (request, response) => {
      for (const name of UNTRUSTED_HEADERS) delete request.headers[name];
      forward(request, response);
    },
  );
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    for (const name of UNTRUSTED_HEADERS) delete request.headers[name];
    socket.on('error', () => socket.destroy());
    const target = lookUp(findRoute, request, domain, onError);
    if (target === null) socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else proxy.ws(request, socket, head, { target });
  });
  server.on('close', () => agent.destroy());
  return server;
}

function lookUp(
  find: FindRoute,
  request: IncomingMessage,
  domain: string,
  onError: (error: unknown) => void,
): string | null {
  const host = parseHost(request.headers.host, domain);
  if (host === null) return null;
  try {
    return find(host)?.address ?? null;
  } catch (error) {
    onError(error);
    return null;
  }
}

function canRepeat(request: IncomingMessage, error: Error): boolean {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  const repeatable = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  return repeatable && !hasBody && 'code' in error && STALE_CONNECTION.has(String(error.code));
}
