import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { FairleadError } from '../../domain/errors.ts';
import type { PasswordHasher } from '../../domain/identity/ports.ts';
import { type Argon2Hash, formatPhc, parsePhc } from './phc.ts';

/** What one hash costs, in Argon2's own parameters (RFC 9106, 3.1). */
export interface Argon2Cost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's second choice for Argon2id, for servers with little memory: 19 MiB, two passes, one lane. */
const COST: Argon2Cost = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Hashes computed at once: memory stays below 60 MiB, and one of the four threads of Node's pool is left for signatures,
 * which would otherwise wait behind a burst of logins.
 */
const AT_ONCE = 3;

/** Callers that may wait: at about 30 ms a hash, the last of them waits two seconds. */
const MAX_WAITING = 200;

const derive = promisify(argon2);

/**
 * Argon2id on Node's own implementation (RFC 9106), in PHC string format. Passwords come normalized.
 * @param cost less than the default is for tests alone
 */
export function createPasswordHasher(cost: Argon2Cost = COST): PasswordHasher {
  const run = createLimit(AT_ONCE, MAX_WAITING);
  // Nobody knows a password to a random tag: checking against it fails after the usual work.
  const decoy: Argon2Hash = { ...cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };
  const tagOf = (password: string, hash: Omit<Argon2Hash, 'tag'>, tagLength: number): Promise<Buffer> =>
    run(() =>
      derive('argon2id', {
        message: Buffer.from(password, 'utf8'),
        nonce: hash.salt,
        memory: hash.memory,
        passes: hash.passes,
        parallelism: hash.parallelism,
        tagLength,
      }),
    );
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return formatPhc({ ...cost, salt, tag: await tagOf(password, { ...cost, salt }, TAG_BYTES) });
    },
    async verify(password, passwordHash) {
      const stored = passwordHash === null ? null : parsePhc(passwordHash);
      const expected = stored ?? decoy;
      const tag = await tagOf(password, expected, expected.tag.length);
      return timingSafeEqual(tag, expected.tag) && stored !== null;
    },
    isOutdated(passwordHash) {
      const stored = parsePhc(passwordHash);
      if (stored === null) return true;
      const weaker = stored.memory < cost.memory || stored.passes < cost.passes;
      return weaker || stored.salt.length < SALT_BYTES || stored.tag.length < TAG_BYTES;
    },
  };
}

/** Runs at most `atOnce` of what it is given; the rest waits in order. @throws UNAVAILABLE when too many wait. */
function createLimit(atOnce: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) {
        throw new FairleadError('UNAVAILABLE', 'Too many logins at once; try again shortly', { retryable: true });
      }
      // Whoever ends hands its place over, so `running` does not change in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
