import type { IncomingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { EdgeConnection, EdgeRequest, EdgeResponse } from './edge-message.ts';

/** A stream of HTTP/2 as both the request that came on it and the answer that it takes. */
export type Http2Exchange = ServerHttp2Stream & EdgeRequest & EdgeResponse;

/** What HTTP/2 may not carry (RFC 9113, section 8.2.2). */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Says a request of HTTP/2 in the terms of HTTP/1.1 (RFC 9113, section 8.3.1; RFC 9112, section 3.3), so that it passes the
 * checks that every request passes. A host that is said twice and differently is seen by them as two.
 * @param rawHeaders names and values in turn, as they came
 */
export function openExchange(
  stream: ServerHttp2Stream,
  { rawHeaders, connection }: { readonly rawHeaders: readonly string[]; readonly connection: EdgeConnection },
): Http2Exchange {
  const { pseudo, fields } = readFields(rawHeaders);
  const ended = stream.endAfterHeaders;
  const hosts = new Set([...(pseudo.get(':authority') ?? []), ...(fields.host ?? [])]);
  if (hosts.size > 0) fields.host = [...hosts];
  // Whatever it is called, it would be taken for the framing of the request that is sent on.
  delete fields['transfer-encoding'];
  if (!ended && fields['content-length'] === undefined) fields['transfer-encoding'] = ['chunked'];
  const request = {
    method: pseudo.get(':method')?.[0],
    url: pseudo.get(':path')?.[0],
    headersDistinct: fields,
    headers: joined(fields),
    socket: connection,
  };
  const response = {
    writeHead: (status: number, _reason: string | undefined, headers: string[]): void => begin(stream, status, headers),
    flushHeaders: (): void => undefined,
  };
  const exchange = Object.assign(stream, request, response);
  Object.defineProperty(exchange, 'complete', { get: () => ended || stream.readableEnded });
  stopUnreadBody(stream);
  return exchange as Http2Exchange;
}

/** Of headers, none has a colon first; those that belong to the frame have. */
function readFields(rawHeaders: readonly string[]): {
  readonly pseudo: ReadonlyMap<string, readonly string[]>;
  readonly fields: NodeJS.Dict<string[]>;
} {
  const pseudo = new Map<string, string[]>();
  const fields: NodeJS.Dict<string[]> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (name.startsWith(':')) {
      pseudo.set(name, [...(pseudo.get(name) ?? []), value]);
      continue;
    }
    const values = fields[name];
    if (values === undefined) fields[name] = [value];
    // HTTP/2 may split them for its tables (RFC 9113, section 8.2.3).
    else if (name === 'cookie') fields.cookie = [`${values[0]}; ${value}`];
    else values.push(value);
  }
  return { pseudo, fields };
}

function joined(fields: NodeJS.Dict<string[]>): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [name, values = []] of Object.entries(fields)) headers[name] = values.join(', ');
  return headers;
}

function begin(stream: ServerHttp2Stream, status: number, headers: readonly string[]): void {
  // A client that has gone is found out by whoever writes the body.
  if (stream.destroyed || stream.closed) return;
  const raw: string[] = [':status', String(status)];
  for (let index = 0; index < headers.length; index += 2) {
    const name = String(headers[index]).toLowerCase();
    if (!OF_CONNECTIONS.has(name)) raw.push(name, String(headers[index + 1]));
  }
  stream.respond(raw);
}

/** An answer may end before the request does; the client is then told to send no more of it (RFC 9113, section 8.1). */
function stopUnreadBody(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.once('finish', () => {
    if (stream.headersSent && !stream.readableEnded && !stream.closed) stream.close();
  });
}
