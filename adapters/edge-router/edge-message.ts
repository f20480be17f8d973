import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Writable } from 'node:stream';

/** Requests and answers of clients as the router passes them on: those of `node:http`, and those of HTTP/2 in the same terms. */

/** The connection that a request came on. */
export interface EdgeConnection {
  readonly remoteAddress?: string | undefined;
  readonly localPort?: number | undefined;
  /** True over TLS. */
  readonly encrypted?: boolean;
  /** The name that the client asked a certificate of (SNI); of TLS connections alone. */
  readonly servername?: string | false | null;
}

export interface EdgeRequest extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
  readonly socket: EdgeConnection;
  /** Whether all of it has been read. */
  readonly complete: boolean;
}

export interface EdgeResponse extends Writable {
  readonly headersSent: boolean;
  /** @param headers names and values in turn */
  writeHead(status: number, reason: string | undefined, headers: string[]): unknown;
  flushHeaders(): void;
}
