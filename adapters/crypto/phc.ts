/** An Argon2id hash as the PHC string format writes it: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. */
export interface Argon2Hash {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** What a stored hash may ask for at most: a document that something else wrote must not take all memory. */
const MAX_MEMORY = 256 * 1024;
const MAX_PASSES = 16;

/** Base64 without padding, as the format has it. */
export function formatPhc({ memory, passes, parallelism, salt, tag }: Argon2Hash): string {
  const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

/** Null for anything that is not an Argon2id hash of sane cost. */
export function parsePhc(text: string): Argon2Hash | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [memory = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  if (memory < 8 * parallelism || memory > MAX_MEMORY) return null;
  if (passes < 1 || passes > MAX_PASSES || parallelism < 1) return null;
  const [salt = '', tag = ''] = match.slice(4);
  return { memory, passes, parallelism, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}
