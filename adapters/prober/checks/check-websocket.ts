import type { ClientRequest } from 'node:http';
import { openSocket, openTls } from '../dial.ts';
import { type Finding, failed, OK } from '../finding.ts';
import { refuseInterimAnswers } from '../interim-answers.ts';
import type { Probe } from '../probe.ts';

const MOST_MESSAGE_BYTES = 64 * 1024;
/** Headers, and a record of TLS beyond them. */
const MOST_ANSWER_BYTES = 33 * 1024;

/** The opening handshake (RFC 6455, 4). Redirects are not followed. */
export async function checkWebsocket(
  { url: address }: { readonly url: string },
  probe: Probe,
  signal: AbortSignal,
): Promise<Finding> {
  const url = new URL(address);
  const isTls = url.protocol === 'wss:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const plain = await openSocket({ host: url.hostname, port }, probe, signal);
  const servername = url.hostname;
  const stream = isTls ? await openTls(plain, probe, { servername, rejectUnauthorized: true, signal }) : plain;
  // Loaded with the first check of its kind.
  const { WebSocket } = await import('ws');
  signal.throwIfAborted();
  probe.reads.allow(MOST_ANSWER_BYTES);
  const socket = new WebSocket(url, {
    createConnection: () => stream,
    finishRequest: (sent: ClientRequest) => refuseInterimAnswers(sent).end(),
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
