import { Resolver } from 'node:dns/promises';
import type { CaaRecord } from '../../domain/custom-domains/certificates/caa.ts';
import { FairleadError } from '../../domain/errors.ts';

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** Codes by which a server says that there is nothing. */
const NOTHING: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks for the CAA records of exactly one name (RFC 8659, section 3). A server that fails says nothing about them: an
 * authority would not issue.
 * @param resolvers addresses of public resolvers; those of the system without any
 * @returns what throws UNAVAILABLE (retryable)
 */
export function createCaaLookup(resolvers: readonly string[]): (name: string) => Promise<readonly CaaRecord[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (resolvers.length > 0) resolver.setServers(resolvers);
  return async (name) => {
    try {
      return (await resolver.resolveCaa(name)).map(readRecord);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
      if (NOTHING.has(code)) return [];
      throw new FairleadError('UNAVAILABLE', `The CAA records of ${name} cannot be read: ${code}`, { retryable: true });
    }
  };
}

/** Node gives each record as an object with one key beside `critical`: its tag. */
function readRecord(record: object): CaaRecord {
  const { critical = 0, ...rest } = record as Readonly<Record<string, unknown>>;
  const [tag = '', value = ''] = Object.entries(rest).find(([name]) => name !== 'type') ?? [];
  return { critical: Number(critical) !== 0, tag: tag.toLowerCase(), value: String(value) };
}
