import { z } from 'zod';
import {
  type ChallengeAnswer,
  challengeAnswerSchema,
  type LoginChallenge,
  loginChallengeSchema,
} from '../../../domain/identity/login-challenge.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { hidden } from './form-fields.ts';
import type { FormError } from './show-error.ts';

/** Fields of a form that takes a password: sent when an address has failed too often, and empty without JavaScript. */
export const CHALLENGE_FIELDS = {
  challenge: z.string().max(1_000).default(''),
  answer: z.string().max(20).default(''),
};

export interface ChallengeForm {
  readonly challenge: string;
  readonly answer: string;
}

/** What was answered; null for nothing that could be an answer. */
export function answerIn({ challenge, answer }: ChallengeForm): ChallengeAnswer | null {
  return challengeAnswerSchema.safeParse({ token: challenge, answer }).data ?? null;
}

/** What a form carries whose address failed too often: the script answers it, so that its people need not wait. */
export function challengeParts(error: Pick<FormError, 'details'> | undefined): { attributes: Html; fields: Html } {
  const challenge: LoginChallenge | undefined = z.object({ challenge: loginChallengeSchema }).safeParse(error?.details)
    .data?.challenge;
  if (challenge === undefined) return { attributes: html``, fields: html`` };
  const { token, bits } = challenge;
  return {
    attributes: html` data-challenge="${token}" data-bits="${String(bits)}"`,
    fields: html`${hidden('challenge', token)}${hidden('answer', '')}`,
  };
}
