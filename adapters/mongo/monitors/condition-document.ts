import { z } from 'zod';
import { OUTCOMES, PROBLEMS } from '../../../domain/monitors/check-result.ts';
import { type Condition, VERDICTS, type VerdictState } from '../../../domain/monitors/condition.ts';
import { readDocument } from '../read-document.ts';

export interface ConditionDocument extends Omit<Condition, 'monitorId'> {
  /** The monitor's. */
  readonly _id: string;
  /** Of the holder that may write it. */
  readonly fence: number;
}

const text = z.string();
const number = z.number();

export const verdictSchema: z.ZodType<VerdictState> = z.object({
  verdict: z.enum(VERDICTS),
  since: number,
  run: z.object({ outcome: z.enum(OUTCOMES).exclude(['unknown']), count: number, firstAt: number }).nullable(),
});

const conditionSchema = z.object({
  _id: text,
  fence: number,
  verdict: verdictSchema,
  flapping: z.object({ penalty: number, at: number, since: number.nullable() }),
  sequence: number,
  openDown: number.nullable(),
  untold: z.array(
    z.object({
      sequence: number,
      kind: z.enum(['down', 'up', 'flapping', 'steady']),
      at: number,
      confirmedAt: number,
      downSequence: number.nullable(),
      message: text.nullable(),
    }),
  ),
  last: z
    .object({
      monitorId: text,
      at: number,
      // Those of a later version as results have them: a worker of it may hold the shard beside this one.
      outcome: z.enum(OUTCOMES).catch('unknown'),
      durationMs: number,
      problem: z.enum(PROBLEMS).catch('other').nullable(),
      status: number.nullable(),
      message: text.nullable(),
    })
    .nullable(),
  seenAt: number.nullable(),
});

export function readCondition(document: unknown): { readonly condition: Condition; readonly fence: number } {
  const { _id, fence, ...rest } = readDocument('condition', conditionSchema, document);
  return { condition: { monitorId: _id, ...rest }, fence };
}
