import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** A call to S3, by the name of its operation. */
export interface S3Call {
  readonly operation: string;
  readonly key: string;
  /** The signature is in the address, not in a header. */
  readonly isPresigned: boolean;
  /** How many calls of this operation came before, repeated ones included. */
  readonly earlier: number;
}

/** What happens to a call instead of being passed on and answered. */
export type S3Fault =
  /** The connection ends when so many bytes of the body have come; the server sees nothing. */
  | { readonly cutRequestAfter: number }
  /** The server carries the call out, and the connection ends after so many bytes of the body of its answer; 0: of nothing. */
  | { readonly cutAnswerAfter: number }
  /** The server carries the call out; after so many bytes of the body of its answer nothing comes any more. */
  | { readonly holdAnswerAfter: number }
  /** The body is read, and the server sees nothing of it; the answer says that it was taken. */
  | 'lose'
  /** The server carries the call out and answers; the answer then says another etag. */
  | 'wrong etag'
  /** The answer to a request for a range does not say that it is one. */
  | 'no range'
  /** The server gets a body with another byte in it. */
  | 'damage'
  /** Nobody ever answers. */
  | 'hang'
  /** An answer of the proxy's own, the code in the words of S3. */
  | { readonly status: number; readonly code: string };

export interface S3Proxy {
  readonly endpoint: string;
  /** Every call that came, in order. */
  readonly calls: readonly S3Call[];
  /** From now on asked for each call; null lets it pass. */
  fail(choose: (call: S3Call) => S3Fault | null): void;
  /** How many connections there are. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** Stands between an adapter and a server that speaks S3, and does to calls what networks, disks and servers do. */
export async function startS3Proxy(target: string): Promise<S3Proxy> {
  const calls: S3Call[] = [];
  let choose: (call: S3Call) => S3Fault | null = () => null;
  const server = createServer((request, response) => {
    const named = nameCall(request);
    const call = { ...named, earlier: calls.filter(({ operation }) => operation === named.operation).length };
    calls.push(call);
    const { socket } = request;
    serve({ request, response, target }, choose(call)).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fail(next) {
      choose = next;
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** `UploadPart` and others, as the method, the path and the names in the query say. */
function nameCall({ method = '', url = '' }: IncomingMessage): Omit<S3Call, 'earlier'> {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const [, , ...segments] = pathname.split('/');
  const query = ['uploads', 'uploadId', 'list-type'].find((name) => searchParams.has(name)) ?? '';
  const operation = OPERATIONS[`${method} ${query}`.trim()] ?? `${method} ${query}`.trim();
  return { operation, key: decodeURIComponent(segments.join('/')), isPresigned: searchParams.has('X-Amz-Signature') };
}

const OPERATIONS: Readonly<Record<string, string>> = {
  PUT: 'PutObject',
  HEAD: 'HeadObject',
  GET: 'GetObject',
  DELETE: 'DeleteObject',
  'POST uploads': 'CreateMultipartUpload',
  'GET uploads': 'ListMultipartUploads',
  'PUT uploadId': 'UploadPart',
  'POST uploadId': 'CompleteMultipartUpload',
  'DELETE uploadId': 'AbortMultipartUpload',
  'GET list-type': 'ListObjectsV2',
  'GET uploadId': 'ListParts',
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
}

const WRONG_ETAG = `"${'0'.repeat(32)}"`;

async function serve(exchange: Exchange, fault: S3Fault | null): Promise<void> {
  const { request, response } = exchange;
  if (fault === 'hang') return void request.resume();
  if (isObject(fault) && 'cutRequestAfter' in fault) return cutRequest(request, fault.cutRequestAfter);
  const body = await buffer(request);
  if (fault === 'lose') return void response.writeHead(200, { etag: WRONG_ETAG }).end();
  if (isObject(fault) && 'status' in fault) return answerError(exchange, fault);
  if (fault === 'damage' && body.length > 0) body[0] = (body[0] ?? 0) ^ 1;
  const answer = await passOn(exchange, body);
  if (isObject(fault) && 'holdAnswerAfter' in fault) return holdAnswer(exchange, answer, fault.holdAnswerAfter);
  if (isObject(fault)) return cutAnswer(exchange, answer, fault.cutAnswerAfter);
  if (fault === 'no range') {
    const { 'content-range': _, ...headers } = answer.headers;
    return void answer.pipe(response.writeHead(200, headers));
  }
  if (fault === 'wrong etag') return answerWrongEtag(exchange, answer);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}

const isObject = (fault: S3Fault | null): fault is Exclude<S3Fault, string> =>
  fault !== null && typeof fault === 'object';

async function cutAnswer({ request, response }: Exchange, answer: IncomingMessage, bytes: number): Promise<void> {
  const { socket } = request;
  const shown = (await buffer(answer)).subarray(0, bytes);
  if (shown.length === 0) return void socket.destroy();
  response.writeHead(answer.statusCode ?? 502, answer.headers).write(shown, () => socket.destroy());
}

async function holdAnswer({ response }: Exchange, answer: IncomingMessage, bytes: number): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.headers).write((await buffer(answer)).subarray(0, bytes));
}

async function answerWrongEtag({ request, response }: Exchange, answer: IncomingMessage): Promise<void> {
  const text = (await buffer(answer)).toString().replace(/&#34;[^&]*&#34;/, WRONG_ETAG);
  const { 'content-length': length, ...headers } = answer.headers;
  const size = request.method === 'HEAD' ? { 'content-length': length } : {};
  response.writeHead(answer.statusCode ?? 502, { ...headers, ...size, etag: WRONG_ETAG }).end(text);
}

async function cutRequest(request: IncomingMessage, bytes: number): Promise<void> {
  const { socket } = request;
  let seen = 0;
  for await (const chunk of request) {
    seen += (chunk as Buffer).length;
    if (seen >= bytes) break;
  }
  socket.destroy();
}

function answerError({ request, response }: Exchange, { status, code }: { readonly status: number; code: string }) {
  const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? '' : text);
}

/** As it came: the signature covers the host that the client called. */
async function passOn({ request, target }: Exchange, body: Buffer): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target);
  const { method, url, headers } = request;
  const upstream = httpRequest({ hostname, port, method, path: url, headers: { ...headers, connection: 'close' } });
  upstream.end(body);
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  return answer;
}
