import { z } from 'zod';
import type { AuditEvent } from '../../../domain/audit/audit-event.ts';
import type { KeptEvent, Refusal } from '../../../domain/audit/ports.ts';
import { readDocument } from '../read-document.ts';

/** `_id` is the id of the event. Data is a list, so that no text in it can be the name of a field. */
export interface AuditDocument extends Omit<KeptEvent, 'id' | 'data'> {
  readonly _id: string;
  readonly data: readonly { readonly key: string; readonly value: AuditEvent['data'][string] }[];
  /** Until the audit ledger has it; only on events that are told to it. */
  readonly toForward?: true;
  /** Why the audit ledger does not take it. */
  readonly refused?: Refusal & { readonly at: Date };
}

const text = z.string();

const auditSchema = z.object({
  _id: text,
  type: text,
  actor: text,
  subject: text,
  orgSlug: text.nullable(),
  data: z.array(z.object({ key: text, value: z.union([text, z.number(), z.boolean(), z.null(), z.array(text)]) })),
  requestId: text.nullable(),
  why: text.exactOptional(),
  address: text.nullable(),
  time: z.date(),
});

export function readAuditEvent(document: unknown): KeptEvent {
  const { _id, data, ...rest } = readDocument('audit event', auditSchema, document);
  return { id: _id, ...rest, data: Object.fromEntries(data.map(({ key, value }) => [key, value])) };
}

export function auditDocument({ id, data, ...rest }: KeptEvent): AuditDocument {
  return { _id: id, ...rest, data: Object.entries(data).map(([key, value]) => ({ key, value })) };
}
