import { namespaceOfClient } from '../../domain/audit-ledger/grammar.ts';
import type { FairleadError } from '../../domain/errors.ts';
import type { Caller } from '../http/caller.ts';
import type { TellError } from '../http/error-handler.ts';

/** Longest text of a refused event in the log. */
const LONGEST = 256;

/** As Express matches paths: in any letter case, with or without a slash at the end. */
const EMITS = /^\/v1\/events\/(?:emit|batch)\/?$/i;

/**
 * Logs AUDIT_EVENT_REJECTED when an emit is refused (spec 3, "Errors"), be it before anything of it is read: what it was
 * about and who sent it, as far as that is known, and nothing of what it said. What a refused credential claims to be is
 * not known.
 */
export const logRejection: TellError = (error, request, { log, caller }) => {
  if (request.method !== 'POST' || !EMITS.test(request.path)) return;
  const body: unknown = request.body;
  log?.warn({ ...subjectOf(body, error, caller), ...callerOf(caller), reason: error.code }, 'AUDIT_EVENT_REJECTED');
};

function subjectOf(body: unknown, error: FairleadError, caller: Caller | null) {
  const event = eventIn(body, error);
  const clientId = caller === null || caller.kind === 'internal' ? null : caller.clientId;
  return {
    namespace: textOf(event, 'namespace') ?? (clientId === null ? null : namespaceOfClient(clientId)),
    eventType: textOf(event, 'eventType'),
    entityId: textOf(event, 'entityId'),
  };
}

/** Of a batch, the event that was at fault, if it was one. */
function eventIn(body: unknown, error: FairleadError): unknown {
  const events = fieldOf(body, 'events');
  if (!Array.isArray(events)) return body;
  const index = fieldOf(error.details, 'index');
  return typeof index === 'number' ? events[index] : events[0];
}

function textOf(container: unknown, key: string): string | null {
  const value = fieldOf(container, key);
  return typeof value === 'string' ? value.slice(0, LONGEST) : null;
}

function fieldOf(container: unknown, key: string): unknown {
  if (typeof container !== 'object' || container === null || !Object.hasOwn(container, key)) return undefined;
  return (container as Readonly<Record<string, unknown>>)[key];
}

function callerOf(caller: Caller | null) {
  if (caller === null) return { caller: null };
  return { caller: caller.name, orgSlug: caller.org, clientId: caller.kind === 'internal' ? null : caller.clientId };
}
