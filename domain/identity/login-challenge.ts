import { z } from 'zod';

/**
 * A challenge costs who answers it time of their processor: the answer is a number whose block has a SHA-256 that begins
 * with `bits` zero bits. A browser finds one in a second or so; many passwords tried from one address cost as much each.
 */
export const loginChallengeSchema = z.object({
  token: z.string().max(1_000).describe('Sent back with the answer; good for ten minutes, once'),
  bits: z.int().min(1).max(32).describe('Zero bits that the SHA-256 of the block begins with'),
});

export type LoginChallenge = z.infer<typeof loginChallengeSchema>;

export const challengeAnswerSchema = z.strictObject({
  token: z.string().max(1_000),
  answer: z
    .string()
    .regex(/^\d{1,15}$/)
    .describe('Decimal number'),
});

export type ChallengeAnswer = z.infer<typeof challengeAnswerSchema>;

/** Bytes of a block. Many, so that a program has no great advantage over a browser, which takes time for each call. */
export const BLOCK_BYTES = 65_536;

const EASIEST_BITS = 11;
const HARDEST_BITS = 15;

/** What is hashed: the answer, a dot and the token, filled up with zeros. The answer is first, so no try saves work of others. */
export function challengeBlock({ token, answer }: ChallengeAnswer): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  new TextEncoder().encodeInto(`${answer}.${token}`, block);
  return block;
}

/** How hard it is: twice as hard each time that the failures double. @param limit how many there may be without one */
export function challengeBits(failures: number, limit: number): number {
  const doublings = Math.floor(Math.log2(Math.max(1, failures / limit)));
  return Math.min(HARDEST_BITS, EASIEST_BITS + doublings);
}

export function beginsWithZeros(digest: Uint8Array, bits: number): boolean {
  const whole = Math.floor(bits / 8);
  const rest = bits % 8;
  if (digest.subarray(0, whole).some((byte) => byte !== 0)) return false;
  return rest === 0 || (digest[whole] ?? 255) >> (8 - rest) === 0;
}
