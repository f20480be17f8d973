import { createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { FairleadError } from '../../domain/errors.ts';
import { faultOf } from '../edge-router/bad-answer.ts';
import { closeServer } from '../edge-router/close-server.ts';
import { hasBody, passedHeaders, responseHeaders } from '../edge-router/forward-headers.ts';
import type { Destination } from './egress-rules.ts';
import { findRoute, type OutboundOptions, openConnection } from './open-connection.ts';
import { requestUpstream, upstreamOptions } from './upstream-proxy.ts';

export interface BuildProxyOptions extends Omit<OutboundOptions, 'connectTimeoutMs'> {
  readonly onError: (error: unknown) => void;
  readonly connectTimeoutMs?: number;
  /** A connection on which nothing moves for this long is cut. */
  readonly idleTimeoutMs?: number;
}

export interface BuildProxy {
  readonly server: Server;
  /** Takes no more requests and cuts what is under way after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const MAX_CONNECTIONS = 1_000;

/**
 * The forward proxy of builds (RFC 9110, sections 7.3.2 and 9.3.6): the way of RUN steps to package registries and, as
 * the operator chose, to other public hosts. It judges the addresses that it then connects to, and says in its answer
 * why a destination is closed. It listens on a Unix socket, to which a relay container leads.
 */
export function createBuildProxy(options: BuildProxyOptions): BuildProxy {
  const { onError, idleTimeoutMs = 300_000 } = options;
  const outbound: OutboundOptions = { ...options, connectTimeoutMs: options.connectTimeoutMs ?? 20_000 };
  const tunnels = new Set<Socket>();
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 0 }, (incoming, response) => {
    forward(incoming, response, outbound, idleTimeoutMs).catch((error: unknown) => {
      const { status, text } = answerTo(error, onError);
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    tunnels.add(client);
    client.once('close', () => tunnels.delete(client));
    client.on('error', () => client.destroy());
    openTunnel(incoming, client, head, outbound, idleTimeoutMs).catch((error: unknown) => {
      const { status, text } = answerTo(error, onError);
      const fields = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`;
      client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}\r\nconnection: close\r\n\r\n${text}`);
    });
  });
  const cutTunnels = (): void => {
    for (const socket of tunnels) socket.destroy();
  };
  return { server, close: (graceMs) => closeServer(server, graceMs, cutTunnels) };
}

async function openTunnel(
  { url = '' }: IncomingMessage,
  client: Socket,
  head: Buffer,
  outbound: OutboundOptions,
  idleTimeoutMs: number,
): Promise<void> {
  const destination = /:\d+$/.test(url) ? destinationOf(`http://${url}`) : null;
  if (destination === null) throw malformed('CONNECT names a host and a port');
  const remote = await openConnection(destination, await findRoute('https', destination, outbound), outbound);
  if (client.destroyed) {
    remote.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) remote.write(head);
  for (const [one, other] of [
    [client, remote],
    [remote, client],
  ] as const) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroySoon());
    one.setTimeout(idleTimeoutMs, () => one.destroy());
  }
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  outbound: OutboundOptions,
  idleTimeoutMs: number,
): Promise<void> {
  const { url = '', method } = incoming;
  const destination = /^http:\/\//i.test(url) ? destinationOf(url) : null;
  if (destination === null) throw malformed('this is the proxy of builds: name a whole http address, or use CONNECT');
  const { host, pathname, search } = new URL(url);
  const headers = { ...passedHeaders(incoming), host };
  const route = await findRoute('http', destination, outbound);
  const isUpstream = route.kind === 'upstream';
  const { headers: credentials, ...upstream } = isUpstream ? upstreamOptions(route.proxy) : {};
  const socket = isUpstream ? null : await openConnection(destination, route, outbound);
  const outgoing = (isUpstream ? requestUpstream(route.proxy) : request)({
    ...(socket === null ? upstream : { createConnection: () => socket }),
    method,
    path: isUpstream ? `http://${host}${pathname}${search}` : `${pathname}${search}`,
    headers: { ...headers, ...credentials },
    setHost: false,
    timeout: idleTimeoutMs,
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve);
  // Nobody asked for another protocol.
  outgoing.once('upgrade', () => outgoing.destroy(new Error('a switch of protocols')));
  outgoing.on('timeout', () => outgoing.destroy(new Error('no byte in time')));
  outgoing.on('error', (cause) => {
    reject(new FairleadError('UNAVAILABLE', `${host} did not answer: ${cause.message}`, { cause }));
  });
  response.once('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  if (hasBody(incoming)) incoming.pipe(outgoing);
  else outgoing.end();
  const answer = await promise;
  const fault = faultOf(answer);
  if (fault !== null) {
    answer.destroy();
    throw new FairleadError('UNAVAILABLE', `${host} gave an answer that is not valid HTTP: ${fault}`);
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer));
  pipeline(answer, response, () => {
    // A failure on either side has destroyed both, so that the answer does not look whole.
  });
}

/** Host and port of an address; names of machines in numbers become the address they mean. Null for none. */
function destinationOf(address: string): Destination | null {
  if (!URL.canParse(address)) return null;
  const { hostname, port, username, password } = new URL(address);
  if (username !== '' || password !== '') return null;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
}

const malformed = (text: string): FairleadError => new FairleadError('VALIDATION_FAILED', text);

function answerTo(error: unknown, onError: (error: unknown) => void): { status: number; text: string } {
  if (!(error instanceof FairleadError)) {
    onError(error);
    return { status: 502, text: 'The request could not be passed on\n' };
  }
  const status = { FORBIDDEN: 403, VALIDATION_FAILED: 400 }[error.code as string] ?? 502;
  return { status, text: `${error.message}\n` };
}
