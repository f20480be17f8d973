import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { EdgeConnection } from './edge-message.ts';
import type { ForwardingServer } from './forwarding-server.ts';
import { openExchange } from './http2-exchange.ts';

/** Milliseconds. */
export interface Http2Timeouts {
  /** A connection without a request. */
  readonly idle: number;
  /** A client's whole request, its body included. */
  readonly request: number;
}

export interface Http2Sessions {
  /** Speaks HTTP/2 on it. */
  accept(socket: TLSSocket): void;
  /** Takes no more requests; those in flight go on. */
  close(): void;
}

const MOST_STREAMS = 100;
/** As many bytes of headers as `node:http` takes. */
const MOST_HEADER_BYTES = 16_384;
/** Mebibytes that one connection may make this process keep. */
const MOST_SESSION_MEMORY = 10;

/** HTTP/2 with clients: each of their requests is passed on as one of HTTP/1.1. */
export function createHttp2Sessions(
  forward: ForwardingServer['forward'],
  { timeouts, onError }: { readonly timeouts: Http2Timeouts; readonly onError: (error: unknown) => void },
): Http2Sessions {
  const sessions = new Set<ServerHttp2Session>();
  const settings = { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: MOST_HEADER_BYTES, enablePush: false };
  // A service may say a header twice that has one value: its answer is passed on as it is, as over HTTP/1.1.
  const options = { settings, maxSessionMemory: MOST_SESSION_MEMORY, strictSingleValueFields: false };
  const server = createServer(options);
  server.on('sessionError', onError);
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    serve(session, { forward, timeouts });
  });
  return {
    accept: (socket) => void server.emit('connection', socket),
    close() {
      for (const session of sessions) session.close();
    },
  };
}

function serve(
  session: ServerHttp2Session,
  { forward, timeouts }: { readonly forward: ForwardingServer['forward']; readonly timeouts: Http2Timeouts },
): void {
  // Asked now: when a request is passed on, its connection may be gone.
  const { remoteAddress, localPort, servername } = session.socket as TLSSocket;
  const connection: EdgeConnection = { remoteAddress, localPort, servername, encrypted: true };
  let open = 0;
  session.setTimeout(timeouts.idle, () => {
    // An answer may be silent for as long as it likes.
    if (open === 0) session.close();
  });
  session.on('stream', (stream: ServerHttp2Stream, headers, _flags, rawHeaders: readonly string[]) => {
    open += 1;
    stream.once('close', () => {
      open -= 1;
    });
    // A client that resets a stream does no harm to the others.
    stream.on('error', () => undefined);
    if (stream.destroyed || stream.closed) return;
    limitRequest(stream, timeouts.request);
    if (headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
    const exchange = openExchange(stream, { rawHeaders, connection });
    forward(exchange, exchange);
  });
}

/** Ends a request whose body takes too long. */
function limitRequest(stream: ServerHttp2Stream, afterMs: number): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), afterMs);
  stream.once('end', () => clearTimeout(timer));
  stream.once('close', () => clearTimeout(timer));
}
