import { createHash } from 'node:crypto';
import { beginsWithZeros, challengeBlock, type LoginChallenge } from '../../../../domain/identity/login-challenge.ts';

/** The first answer to a challenge, as the page's script finds it. */
export function answerChallenge({ token, bits }: LoginChallenge): string {
  for (let number = 0; ; number += 1) {
    const answer = String(number);
    const digest = createHash('sha256').update(challengeBlock({ token, answer })).digest();
    if (beginsWithZeros(digest, bits)) return answer;
  }
}
