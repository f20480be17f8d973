import { hash, timingSafeEqual } from 'node:crypto';

/** Compares a presented value with a secret in constant time; hashing first hides the secret's length as well. */
export function equalsSecret(presented: string, secret: string): boolean {
  return timingSafeEqual(sha256(presented), sha256(secret));
}

/** The same for texts whose length is no secret, such as digests: it need not be hidden. */
export function equalsDigest(presented: string, digest: string): boolean {
  const [a, b] = [Buffer.from(presented, 'utf8'), Buffer.from(digest, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
