import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { checkedHostName, isHostName } from '../../domain/custom-domains/certificates/host-name.ts';
import type { CertificateFiles } from '../../domain/custom-domains/certificates/ports.ts';
import { createFileCache } from './file-cache.ts';
import { placeFile, removeFile, removeLeftFiles } from './place-file.ts';

/**
 * The certificates of hosts as files, one a host. Key and chain are in one file, so that a rename replaces both: no
 * handshake sees the key of one and the chain of another.
 */

/** A host name begins with no underscore, so none is taken for this. */
const WILDCARD = '_wildcard.';

/** @param host a host name, or `*.` and one */
function certificateFile(routesDirectory: string, host: string): string {
  const name = host.startsWith('*.') ? `${WILDCARD}${checkedHostName(host.slice(2))}` : checkedHostName(host);
  return join(routesDirectory, 'certificates', `${name}.pem`);
}

/** Removes keys that killed workers wrote and did not put in their place. */
export const removeLeftCertificates = (routesDirectory: string, olderThanMs?: number): Promise<void> =>
  removeLeftFiles(join(routesDirectory, 'certificates'), olderThanMs);

export function createCertificateFiles(routesDirectory: string): CertificateFiles {
  return {
    async put(host, { key, chain }) {
      await placeFile(certificateFile(routesDirectory, host), `${key.trim()}\n${chain.trim()}\n`);
    },
    async readChain(host) {
      const text = await readFile(certificateFile(routesDirectory, host), 'utf8').catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        },
      );
      return text === null ? null : text.slice(text.indexOf('-----BEGIN CERTIFICATE-----'));
    },
    remove: async (host) => await removeFile(certificateFile(routesDirectory, host)),
  };
}

/** Contexts that are kept: each holds some 30 KB outside of the heap. A handshake of a further host costs half as much again. */
const MOST_CONTEXTS = 10_000;

/**
 * Finds what a host is served with: its own certificate, else that of the wildcard one label above; null for none.
 * @throws INTERNAL for a file that holds no key and chain
 */
export function createContextFinder(
  routesDirectory: string,
  mostContexts = MOST_CONTEXTS,
): (servername: string) => SecureContext | null {
  const find = createFileCache(mostContexts, (pem) => createSecureContext({ key: pem, cert: pem }));
  return (servername) => {
    const host = servername.toLowerCase();
    if (!isHostName(host)) return null;
    const own = find(certificateFile(routesDirectory, host));
    if (own !== null) return own;
    const parent = host.slice(host.indexOf('.') + 1);
    return isHostName(parent) ? find(certificateFile(routesDirectory, `*.${parent}`)) : null;
  };
}
