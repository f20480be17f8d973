import { createHash } from 'node:crypto';

/** What a container is labelled with, so that one of other options is told from the one that is wanted. */
export function optionsDigest(options: unknown): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16);
}
