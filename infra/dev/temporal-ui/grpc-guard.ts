import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { equalsSecret } from '../../../adapters/crypto/equals-secret.ts';
import type { TemporalSettings, TemporalTlsFiles } from '../../../adapters/env/platform.ts';
import { KEY_HEADER } from './http-guard.ts';

/** As gRPC numbers them. */
const STATUS = { unavailable: '14', unauthenticated: '16' } as const;

/**
 * The way of the UI's program to Temporal: it passes on the calls that carry the key, with the certificate that the
 * program itself does not have. So whoever reaches the program's own port, past the guard, gets nothing from it.
 * @returns the port, on the loopback
 */
export async function openGrpcGuard(
  key: string,
  { address, tls }: Pick<TemporalSettings, 'address' | 'tls'>,
): Promise<number> {
  let session: ClientHttp2Session | null = null;
  const upstream = (): ClientHttp2Session => {
    if (session === null || session.closed || session.destroyed) {
      session = connect(`https://${address}`, secureOptions(tls));
      // Its requests are told.
      session.on('error', () => undefined);
    }
    return session;
  };
  const server = createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (!equalsSecret(String(headers[KEY_HEADER] ?? ''), key)) {
      return refuse(stream, STATUS.unauthenticated, 'sign in at the address of the Temporal UI');
    }
    try {
      passOn(stream, headers, upstream());
    } catch {
      refuse(stream, STATUS.unavailable, 'Temporal has not started yet');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** The files are there once Temporal has started. */
function secureOptions(tls: TemporalTlsFiles | null): SecureClientSessionOptions {
  return {
    ...(tls?.ca === undefined ? {} : { ca: readFileSync(tls.ca) }),
    ...(tls?.certificate === undefined ? {} : { cert: readFileSync(tls.certificate) }),
    ...(tls?.key === undefined ? {} : { key: readFileSync(tls.key) }),
    ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
  };
}

/** Headers, body and trailers both ways, as they are. */
function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session): void {
  const { [KEY_HEADER]: _key, ':authority': _authority, ':scheme': _scheme, ...rest } = headers;
  const outgoing = upstream.request(rest);
  let trailers: OutgoingHttpHeaders = {};
  outgoing.once('response', (answer, flags) => {
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, { endStream, waitForTrailers: !endStream });
    if (!endStream) outgoing.pipe(stream);
  });
  outgoing.once('trailers', (last) => {
    trailers = last;
  });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  outgoing.on('error', () => {
    if (stream.headersSent) stream.destroy();
    else refuse(stream, STATUS.unavailable, 'Temporal does not answer');
  });
  stream.once('aborted', () => outgoing.close(constants.NGHTTP2_CANCEL));
  stream.pipe(outgoing);
}

function refuse(stream: ServerHttp2Stream, status: string, message: string): void {
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': status,
    'grpc-message': message,
  };
  if (!stream.destroyed) stream.respond(headers, { endStream: true });
}
