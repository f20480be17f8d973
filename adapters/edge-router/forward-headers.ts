import type { IncomingMessage } from 'node:http';
import type { EdgeRequest } from './edge-message.ts';

/** Headers that belong to one connection (RFC 9110, section 7.6.1), and `Expect`, which our own server has answered. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A client may not say for whom it is forwarded: the router says it. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
]);

/** What frames or addresses the message stays, even when a client names it in `Connection`. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(['host', 'content-length']);

/** Header names, in lower case, to values. */
export type ForwardedHeaders = Record<string, string | string[]>;

/** What the service is sent: the client's headers without those of its connection, and who it is forwarded for. */
export function requestHeaders(request: EdgeRequest): ForwardedHeaders {
  const headers = passedHeaders(request);
  for (const name of UNTRUSTED) delete headers[name];
  // Host decided the route; it has been checked to be there once.
  headers.host = request.headers.host ?? '';
  headers['x-forwarded-for'] = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  headers['x-forwarded-host'] = headers.host;
  headers['x-forwarded-port'] = String(request.socket.localPort ?? '');
  headers['x-forwarded-proto'] = request.socket.encrypted === true ? 'https' : 'http';
  return headers;
}

/** The client's headers without those of its connection; the coding of a body without a length stays. */
export function passedHeaders(request: Pick<EdgeRequest, 'headers' | 'headersDistinct'>): ForwardedHeaders {
  const nominated = listed(request.headers.connection);
  const headers: ForwardedHeaders = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    const dropped = HOP_BY_HOP.has(name) || (nominated.has(name) && !NEVER_DROPPED.has(name));
    if (!dropped && values !== undefined) headers[name] = values;
  }
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  return headers;
}

/** What the client is sent: names and values in turn, as they came, without those of the service's connection. */
export function responseHeaders(answer: IncomingMessage): string[] {
  const nominated = listed(answer.headers.connection);
  const { rawHeaders } = answer;
  // Such an answer has no body, whatever it says (RFC 9110, section 8.6).
  const hasNoLength = answer.statusCode === 204;
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
    if (hasNoLength && name === 'content-length') return false;
    return !HOP_BY_HOP.has(name) && (!nominated.has(name) || NEVER_DROPPED.has(name));
  });
}

/** True when the request has a body, or may have one. */
export function hasBody({ headers }: Pick<EdgeRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** What makes a request unfit to be passed on: it could mean one thing to us and another to the service. */
export function refusalOf(request: EdgeRequest): string | null {
  const hosts = request.headersDistinct.host ?? [];
  if (hosts.length !== 1) return 'Send one Host header.';
  const isPath = request.url?.startsWith('/') || (request.url === '*' && request.method === 'OPTIONS');
  if (!isPath) return 'Send the path alone in the request line, and the host in the Host header.';
  const coding = request.headers['transfer-encoding'];
  const isChunked = coding === undefined || coding.toLowerCase() === 'chunked';
  return isChunked ? null : 'Send the body in chunked coding or with its length.';
}

function listed(value: string | undefined): ReadonlySet<string> {
  return new Set((value ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
