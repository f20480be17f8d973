import { readFile, stat } from 'node:fs/promises';
import { FairleadError } from '../../domain/errors.ts';
import type { DomainMapSource } from '../../domain/properties/ports.ts';
import { readDomainMap } from '../../domain/properties/read-domain-map.ts';
import { createGuardedFetch } from '../http-fetch/guarded-fetch.ts';

export interface DomainMapOptions {
  /** DOMAIN_MAP: the path of a file, or an address. */
  readonly location: string;
  /** DOMAIN_MAP_TOKEN: sent to the address as a Bearer token. */
  readonly token: string | null;
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * The domain map, from a file or an address. The operator names it, so that its origin may be a service of the
 * installation at a private address; a redirect never leaves it, and the token goes nowhere else.
 * @throws DOMAIN_MAP_UNREADABLE; UNAVAILABLE (retryable) where nobody answers, 5xx and 429
 */
export function createDomainMapSource({ location, token }: DomainMapOptions): DomainMapSource {
  const url = URL.parse(location);
  if (url === null || !/^https?:$/.test(url.protocol)) return { read: () => readFromFile(location) };
  const fetch = createGuardedFetch({ trustedOrigins: [url.origin], timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES });
  const headers = {
    accept: 'application/json, application/yaml, text/yaml',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  return {
    async read(signal) {
      const { status, text } = await fetch({ method: 'GET', url: url.href, headers, signal }).catch(
        refusedAsUnreadable,
      );
      if (status === 200) return readDomainMap(text);
      if (status === 429 || status >= 500) {
        const message = `The domain map at ${url.host} answers ${status}`;
        throw new FairleadError('UNAVAILABLE', message, { retryable: true });
      }
      throw unreadable(`at ${url.host} answers ${status}`);
    },
  };
}

/** What the guard refuses, such as a redirect to another host, is wrong with the map, and no wait helps. */
function refusedAsUnreadable(error: unknown): never {
  if (!(error instanceof FairleadError) || error.code !== 'SOURCE_REFUSED') throw error;
  throw unreadable(`cannot be fetched: ${error.message}`, error);
}

async function readFromFile(path: string) {
  const found = await stat(path).catch(() => null);
  if (found === null) throw unreadable(`${path} is not there`);
  if (!found.isFile()) throw unreadable(`${path} is no file`);
  if (found.size > MOST_BYTES) throw unreadable(`${path} has more than ${MOST_BYTES} bytes`);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(`${path} cannot be read by the worker`, error);
  });
  return readDomainMap(text);
}

function unreadable(what: string, cause?: unknown): FairleadError {
  return new FairleadError('DOMAIN_MAP_UNREADABLE', `The domain map ${what}; nothing was changed`, { cause });
}
