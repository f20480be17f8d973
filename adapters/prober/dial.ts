import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { checkServerIdentity, rootCertificates, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { fixedLookup } from '../http-fetch/guarded-connector.ts';
import { cutOff } from './finding.ts';
import type { Probe } from './probe.ts';
import { streamOver } from './stream-over.ts';

export interface Target {
  /** A name or a literal; IPv6 with brackets or without. */
  readonly host: string;
  readonly port: number;
}

/** By which options of `net.connect` the target is reached, and no other address. @throws as {@link Probe} */
export async function dialOptions({ host, port }: Target, probe: Probe): Promise<TcpNetConnectOpts> {
  const addresses = await probe.addressesOf(host, port);
  const led = probe.dialler?.dial({ hostname: host, addresses, port });
  if (led !== undefined) return { host: led.address, port: led.port };
  const [first, second] = addresses;
  if (first !== undefined && second === undefined) return { host: first, port };
  return { host, port, lookup: fixedLookup(addresses) };
}

/** All sockets of a thread read into it, one after the other: what was read is copied out before the next one reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(4_096);

/** A socket of which no more is read than the check allows, in small pieces: nothing large is worked on at once. */
export function openMetered(to: TcpNetConnectOpts, { reads }: Pick<Probe, 'reads'>): Socket {
  const take = (bytes: number, buffer: Uint8Array): boolean => {
    const goesOn = reads.take(bytes, () => socket.push(Buffer.from(buffer.subarray(0, bytes))));
    if (goesOn === null) socket.destroy(cutOff());
    return goesOn ?? false;
  };
  const socket = connect({ ...to, onread: { buffer: READ_BUFFER, callback: take } });
  return socket;
}

export interface TlsOptions {
  readonly servername: string;
  /** False: the caller judges the certificate. */
  readonly rejectUnauthorized: boolean;
}

/** Of a handshake. The longest chains of public sites have some 10 KiB; the signatures in it are all verified at once. */
const MOST_HANDSHAKE_BYTES = 32 * 1024;

/** TLS over a socket that is connected. @throws what kept it from that */
export async function openTls(
  plain: Socket,
  probe: Probe,
  { servername, rejectUnauthorized, signal }: TlsOptions & { readonly signal: AbortSignal },
): Promise<TLSSocket> {
  probe.reads.allow(MOST_HANDSHAKE_BYTES);
  const extra = probe.dialler?.ca;
  const socket = tlsConnect({
    // By itself, TLS would read from the system and not from the socket: unmetered.
    socket: streamOver(plain),
    ...(/[a-z]/i.test(servername) && !servername.includes(':') ? { servername } : {}),
    ...(extra === undefined ? {} : { ca: [...rootCertificates, extra] }),
    rejectUnauthorized,
    // By itself, TLS would look for `localhost` in the certificate of an address: there is no name to ask it for.
    checkServerIdentity: (_name, certificate) => checkServerIdentity(nameOf(servername), certificate),
    ALPNProtocols: ['http/1.1'],
  });
  plain.once('close', () => socket.destroy());
  socket.once('close', () => plain.destroy());
  plain.on('error', (error) => socket.destroy(error));
  return await connected(socket, 'secureConnect', signal);
}

/** A name, or an address without brackets. */
function nameOf(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** A socket that is connected. It is destroyed when the signal aborts; the caller destroys it in the end. */
export async function openSocket(target: Target, probe: Probe, signal: AbortSignal): Promise<Socket> {
  const options = await dialOptions(target, probe);
  signal.throwIfAborted();
  return await connected(openMetered(options, probe), 'connect', signal);
}

/** Waits for a socket to be there. @throws what kept it from that */
async function connected<T extends Socket | TLSSocket>(
  socket: T,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<T> {
  const cut = (): void => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', cut));
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  socket.once(event, () => resolve(socket));
  // It stays: an error that comes later would end the thread.
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('the connection was closed')));
  return await promise;
}
