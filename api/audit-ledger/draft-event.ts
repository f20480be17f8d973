import { canonicalPayload } from '../../domain/audit-ledger/canonical.ts';
import type { EventDraft } from '../../domain/audit-ledger/event.ts';
import { isNamespace } from '../../domain/audit-ledger/grammar.ts';
import { sha256 } from '../../domain/audit-ledger/hash.ts';
import { parseEmitBody } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isIdempotencyKey } from '../../domain/idempotency-key.ts';
import { type Emitter, namespaceFor, ownerFor } from './emitter.ts';

/** Reads an `Idempotency-Key` header; null without one. @throws EVENT_INVALID */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && isIdempotencyKey(header)) return header;
  throw new FairleadError('EVENT_INVALID', 'Idempotency-Key: 1 to 200 visible ASCII characters, once');
}

/** An event as it will be chained, from what a caller sent. @throws EVENT_INVALID, EVENT_TOO_LARGE, FORBIDDEN */
export function draftEvent(emitter: Emitter, body: unknown, idempotencyKey: string | null): EventDraft {
  const { eventType, entityId, namespace: named, orgSlug: owner, data, metadata } = parseEmitBody(body);
  const namespace = namespaceFor(emitter, named, eventType);
  if (!isNamespace(namespace)) {
    throw new FairleadError(
      'EVENT_INVALID',
      `namespace: the client ${namespace} is not named as a service, so name one`,
    );
  }
  const payload = canonicalPayload({ data, metadata });
  const { sub } = emitter;
  const orgSlug = ownerFor(emitter, owner);
  const fields = { namespace, orgSlug, emitter: sub, eventType, entityId, payload };
  if (idempotencyKey === null) return { ...fields, idempotency: null };
  const fingerprint = sha256(JSON.stringify([namespace, orgSlug, sub, eventType, entityId, payload]));
  return { ...fields, idempotency: { key: idempotencyKey, fingerprint } };
}
