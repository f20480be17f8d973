import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { rootCertificates, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { fixedLookup } from '../http-fetch/guarded-connector.ts';
import type { ProbeGuard } from './probe-guard.ts';

export interface Target {
  /** A name or a literal; IPv6 with brackets or without. */
  readonly host: string;
  readonly port: number;
}

/** By which options of `net.connect` the target is reached, and no other address. @throws as {@link ProbeGuard} */
export async function dialOptions({ host, port }: Target, guard: ProbeGuard): Promise<TcpNetConnectOpts> {
  const addresses = await guard.addressesOf(host, port);
  const led = guard.dialler?.dial({ hostname: host, addresses, port });
  if (led !== undefined) return { host: led.address, port: led.port };
  const [first, second] = addresses;
  if (first !== undefined && second === undefined) return { host: first, port };
  return { host, port, lookup: fixedLookup(addresses) };
}

export interface TlsOptions {
  readonly servername: string;
  /** False: the caller judges the certificate. */
  readonly rejectUnauthorized: boolean;
}

/** A TLS socket to where these options lead, or over a socket that is connected. */
export function openTls(to: TcpNetConnectOpts | { readonly socket: Socket }, guard: ProbeGuard, options: TlsOptions) {
  const { servername, rejectUnauthorized } = options;
  const extra = guard.dialler?.ca;
  return tlsConnect({
    ...to,
    ...(/[a-z]/i.test(servername) && !servername.includes(':') ? { servername } : {}),
    ...(extra === undefined ? {} : { ca: [...rootCertificates, extra] }),
    rejectUnauthorized,
    ALPNProtocols: ['http/1.1'],
  });
}

/** A socket that is connected. It is destroyed when the signal aborts; the caller destroys it in the end. */
export async function openSocket(target: Target, guard: ProbeGuard, signal: AbortSignal): Promise<Socket> {
  const options = await dialOptions(target, guard);
  signal.throwIfAborted();
  return await connected(connect(options), 'connect', signal);
}

/** Waits for a socket to be there. @throws what kept it from that */
export async function connected<T extends Socket | TLSSocket>(
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
