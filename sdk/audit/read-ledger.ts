import { z } from 'zod';
import { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LedgerConnection } from './ledger-connection.ts';

/** Waits between two looks at a verification in the background. */
const POLL_MS = 500;

export interface AuditEventQuery {
  readonly entityId?: string;
  readonly eventType?: string;
  /** ISO 8601 with a zone; inclusive. */
  readonly from?: string;
  /** ISO 8601 with a zone; exclusive. */
  readonly to?: string;
  /** `'1'` to `'200'`: a string (spec 3, "Limits"). */
  readonly limit?: string;
  readonly cursor?: string;
}

const pageSchema = z.object({ events: z.array(eventViewSchema), nextCursor: z.string().nullable() });
const verdictSchema = z.object({
  valid: z.boolean(),
  brokenAt: z.object({ namespace: z.string(), chainIndex: z.int() }).nullable(),
});
const runSchema = z.object({ verificationId: z.string(), status: z.string(), verdict: verdictSchema.nullable() });

export type AuditEvent = z.output<typeof eventViewSchema>;
export type AuditEventPage = z.output<typeof pageSchema>;
export type AuditVerdict = z.output<typeof verdictSchema>;

/** A page of events. @throws LedgerRefusal, UNAVAILABLE */
export function queryEvents(ledger: LedgerConnection, filter: AuditEventQuery): Promise<AuditEventPage> {
  return ledger.get(`/v1/events${queryOf(filter)}`, pageSchema);
}

function queryOf(filter: AuditEventQuery): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Whether the history of an entity holds, waited for when the chain is long. @throws LedgerRefusal, UNAVAILABLE */
export async function verifyEntity(
  ledger: LedgerConnection,
  entityId: string,
  signal?: AbortSignal,
): Promise<AuditVerdict> {
  const path = `/v1/entities/${encodeURIComponent(entityId)}/verify`;
  let answer = await ledger.get(path, z.union([verdictSchema, runSchema]));
  while ('verificationId' in answer) {
    const { verificationId, status, verdict } = answer;
    if (verdict !== null) return verdict;
    if (status !== 'running') throw new FairleadError('UNAVAILABLE', `The verification ended as ${status}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal?.throwIfAborted();
    answer = await ledger.get(`/v1/verifications/${encodeURIComponent(verificationId)}`, runSchema);
  }
  return answer;
}
