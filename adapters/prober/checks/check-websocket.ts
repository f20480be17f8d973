import { connect } from 'node:net';
import { dialOptions, openTls } from '../dial.ts';
import { type Finding, failed, OK } from '../finding.ts';
import type { ProbeGuard } from '../probe-guard.ts';

const MOST_MESSAGE_BYTES = 64 * 1024;

/** The opening handshake (RFC 6455, 4). Redirects are not followed. */
export async function checkWebsocket(
  { url: address }: { readonly url: string },
  guard: ProbeGuard,
  signal: AbortSignal,
): Promise<Finding> {
  const url = new URL(address);
  const isTls = url.protocol === 'wss:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const options = await dialOptions({ host: url.hostname, port }, guard);
  // Loaded with the first check of its kind.
  const { WebSocket } = await import('ws');
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    createConnection: () =>
      isTls ? openTls(options, guard, { servername: url.hostname, rejectUnauthorized: true }) : connect(options),
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE_BYTES,
    headers: { 'user-agent': 'Fairlead-Monitor' },
  });
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<Finding>();
  socket.once('open', () => resolve(OK));
  socket.once('unexpected-response', (sent, { statusCode = 0 }) => {
    sent.destroy();
    resolve(failed('status', `answered ${statusCode} instead of 101`, statusCode));
  });
  // It stays: an error that comes later would end the thread.
  socket.on('error', (error) => reject('code' in error ? error : protocolError()));
  socket.once('close', () => reject(protocolError()));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.terminate();
  }
}

/** The library has no codes for handshakes that are none. */
function protocolError(): Error {
  return Object.assign(new Error('no handshake'), { code: 'HPE_NO_HANDSHAKE' });
}
