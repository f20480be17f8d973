import type { X509Certificate } from 'node:crypto';
import tls, { checkServerIdentity, connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import {
  faultOfShown,
  type ServedCheck,
  type ServedLook,
  type ShownCertificate,
} from '../../domain/custom-domains/certificates/served-check.ts';
import { shortened } from '../../domain/custom-domains/shortened.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Lookup, systemLookup } from '../public-address.ts';
import { type Dialler, publicAddresses } from './guarded-connector.ts';

export interface ServedCheckOptions {
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: Lookup;
  /** Leads the sockets of tests elsewhere, once their addresses were let pass. */
  readonly dialler?: Dialler | null;
  /** Certificates (PEM) of authorities that are trusted besides the usual ones. */
  readonly ca?: readonly string[];
  readonly now: () => Date;
  /** For one address, from the connection to the first line of the answer. */
  readonly timeoutMs?: number;
}

const PORT = 443;
const TIMEOUT_MS = 10_000;
/** Addresses of one host that are looked at. */
const MOST_ADDRESSES = 8;
/** Bytes of the answer that are read: its first line is looked at. */
const MOST_BYTES = 4_096;

/**
 * Looks at a host as any client does: a handshake by SNI with each of its addresses, and one request. The host is resolved
 * once, each address must be on the public internet, and the socket goes to that address: a name that is bound again
 * meanwhile leads nowhere else. The certificate is judged after the handshake, so that a wrong one is named.
 */
export function createServedCheck(options: ServedCheckOptions): ServedCheck {
  const { lookup = systemLookup, now } = options;
  const trust = createTrust(options);
  return {
    async look(expected, signal) {
      const addresses = await addressesOf(expected.host, lookup);
      if (!Array.isArray(addresses)) return addresses as ServedLook;
      // At once: addresses that never answer take a look no longer than one of them.
      const looks = addresses.slice(0, MOST_ADDRESSES).map(async (address) => {
        const shown = await show(address, { host: expected.host, signal, options, trust });
        return typeof shown === 'string' ? shown : faultOfShown(shown, expected, now());
      });
      const fault = (await Promise.all(looks)).find((one) => one !== null);
      return fault === undefined ? { kind: 'served' } : { kind: 'not served', reason: shortened(fault) };
    },
  };
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly string[] | ServedLook> {
  try {
    return await publicAddresses(host, lookup);
  } catch (error) {
    const reason = error instanceof FairleadError ? error.message : `${host} does not resolve`;
    return { kind: 'not served', reason };
  }
}

interface Asked {
  readonly host: string;
  readonly signal: AbortSignal;
  readonly options: ServedCheckOptions;
  readonly trust: () => SecureContext;
}

/** @returns what was shown, or why nothing was */
async function show(address: string, { host, signal, options, trust }: Asked): Promise<ShownCertificate | string> {
  const { dialler = null, timeoutMs = TIMEOUT_MS } = options;
  const target = dialler?.dial({ hostname: host, addresses: [address], port: PORT }) ?? { address, port: PORT };
  const secureContext = trust();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const socket = connect({
    ...{ host: target.address, port: target.port, servername: host, ALPNProtocols: ['http/1.1'], secureContext },
    // Judged below: a client that refuses it here could not say what it saw.
    rejectUnauthorized: false,
  });
  const cut = (): void => void socket.destroy(new Error('it took too long'));
  limit.addEventListener('abort', cut, { once: true });
  try {
    await connected(socket);
    return { address, ...certificateOf(socket, host), status: await statusOf(socket, host) };
  } catch (error) {
    signal.throwIfAborted();
    return `${address} does not complete a TLS handshake for ${host}: ${error instanceof Error ? error.message : error}`;
  } finally {
    limit.removeEventListener('abort', cut);
    socket.destroy();
  }
}

/** Whom clients trust, read once, when first asked: to read a hundred and fifty certificates takes longer than a handshake. */
function createTrust({ ca = [], dialler = null }: ServedCheckOptions): () => SecureContext {
  const extra = [...ca, ...(dialler?.ca === undefined ? [] : [dialler.ca])];
  let context: SecureContext | null = null;
  return () => {
    context ??= createSecureContext(extra.length === 0 ? {} : { ca: [...tls.rootCertificates, ...extra] });
    return context;
  };
}

async function connected(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('secureConnect', resolve).once('error', reject);
  socket.once('close', () => reject(new Error('the connection was closed')));
  await promise;
}

function certificateOf(socket: TLSSocket, host: string): Omit<ShownCertificate, 'address' | 'status'> {
  const peer = socket.getPeerX509Certificate();
  if (peer === undefined) throw new Error('it shows no certificate');
  const wrongName = checkServerIdentity(host, peer.toLegacyObject());
  const distrust = wrongName?.message ?? (socket.authorized ? null : String(socket.authorizationError));
  return { ...factsOf(peer), distrust };
}

/** Fingerprint as it is stored, and dates. */
export function factsOf(certificate: X509Certificate): Omit<ShownCertificate, 'address' | 'status' | 'distrust'> {
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
  };
}

/** The status of the answer to one request; null where none comes. */
async function statusOf(socket: TLSSocket, host: string): Promise<number | null> {
  socket.write(`HEAD / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: fairlead\r\nConnection: close\r\n\r\n`);
  let text = '';
  try {
    for await (const part of socket.setEncoding('latin1')) {
      text += part;
      if (text.includes('\r\n') || text.length > MOST_BYTES) break;
    }
  } catch {
    return null;
  }
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}
