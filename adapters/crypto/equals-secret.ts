import { hash, timingSafeEqual } from 'node:crypto';

/** Compares a presented value with a secret in constant time; hashing first hides the secret's length as well. */
export function equalsSecret(presented: string, secret: string): boolean {
  return timingSafeEqual(sha256(presented), sha256(secret));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
