import { FairleadError } from '../errors.ts';
import type { GitProvider } from '../git-provider.ts';
import type { DeliveryProof } from './connection.ts';

/** Marks a key of Standard Webhooks: what follows is base64. */
const STANDARD_PREFIX = 'whsec_';
const LENGTH = { min: 16, max: 200 } as const;

/** Whether secrets of such a connection are keys of Standard Webhooks. */
function isStandard({ provider, proof }: SecretOf): boolean {
  return provider === 'gitlab' && proof === 'signature';
}

interface SecretOf {
  readonly provider: GitProvider;
  readonly proof: DeliveryProof;
}

/** A secret of 32 random bytes, as the provider takes it. */
export function formatHookSecret(of: SecretOf, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.subarray(0, 32));
  return isStandard(of) ? `${STANDARD_PREFIX}${buffer.toString('base64')}` : buffer.toString('base64url');
}

/**
 * A secret that somebody brings.
 * @throws VALIDATION_FAILED for one that is short, or not what the provider takes; the message never repeats it
 */
export function parseHookSecret(of: SecretOf, text: string): string {
  if (isStandard(of)) {
    const bytes = Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64');
    const isKey = text === `${STANDARD_PREFIX}${bytes.toString('base64')}` && bytes.length >= 24 && bytes.length <= 64;
    if (isKey) return text;
    throw refused('a signing token of GitLab is whsec_ and 24 to 64 bytes in base64');
  }
  if (text.startsWith(STANDARD_PREFIX)) throw refused('whsec_ is for signed deliveries of GitLab; give another secret');
  if (!/^[\x21-\x7e]*$/.test(text)) throw refused('use letters, digits and signs of ASCII, without blanks');
  if (text.length < LENGTH.min || text.length > LENGTH.max) {
    throw refused(`give ${LENGTH.min} to ${LENGTH.max} characters, or none to have one made`);
  }
  return text;
}

/** The key of an HMAC from the secret as it is written. */
export function hookKey(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

function refused(why: string): FairleadError {
  const message = `secret: ${why}`;
  return new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'secret', message }] });
}
