import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  beginsWithZeros,
  type ChallengeAnswer,
  challengeBlock,
  type LoginChallenge,
} from '../../../domain/identity/login-challenge.ts';
import type { IdentityDeps } from '../deps.ts';
import { readState, signState } from './signed-state.ts';

const TTL_SECONDS = 600;
const PURPOSE = 'login-challenge';
const schema = z.object({ id: z.string(), limitKey: z.string(), bits: z.int() });

type Deps = Pick<IdentityDeps, 'attempts' | 'tokens' | 'now'>;

/** A new challenge for who is counted under that key. Nothing is stored. */
export function createLoginChallenge(deps: Deps, limitKey: string, bits: number): LoginChallenge {
  const state = { id: deps.tokens.create(''), limitKey, bits };
  return { token: signState(deps, PURPOSE, state, TTL_SECONDS), bits };
}

/** Takes an answer: it counts once, also for many at once, and for the key that its challenge was made for. */
export async function takeChallengeAnswer(deps: Deps, limitKey: string, given: ChallengeAnswer): Promise<boolean> {
  const state = readState(deps, PURPOSE, schema, given.token);
  if (state === null || state.limitKey !== limitKey) return false;
  const digest = createHash('sha256').update(challengeBlock(given)).digest();
  if (!beginsWithZeros(digest, state.bits)) return false;
  // The window outlives the challenge, so its first use stays the only one.
  return (await deps.attempts.count(`${PURPOSE}:${state.id}`, 2 * TTL_SECONDS, deps.now())) === 1;
}
