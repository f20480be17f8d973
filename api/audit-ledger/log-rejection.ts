import { FairleadError } from '../../domain/errors.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';

/** Longest text of a refused event in the log. */
const LONGEST = 256;

/**
 * Logs AUDIT_EVENT_REJECTED when an emit is refused (spec 3, "Errors"): what it was about and who sent it, and nothing of
 * what it said.
 */
export async function logRejection(
  { log, caller }: Pick<RouteContext, 'log' | 'caller'>,
  body: unknown,
  emit: () => Promise<void>,
): Promise<void> {
  try {
    await emit();
  } catch (error) {
    const reason = error instanceof FairleadError ? error.code : 'INTERNAL';
    log.warn({ ...subjectOf(body, error), ...callerOf(caller), reason }, 'AUDIT_EVENT_REJECTED');
    throw error;
  }
}

function subjectOf(body: unknown, error: unknown) {
  const event = eventIn(body, error);
  return {
    namespace: textOf(event, 'namespace'),
    eventType: textOf(event, 'eventType'),
    entityId: textOf(event, 'entityId'),
  };
}

/** Of a batch, the event that was at fault, if it was one. */
function eventIn(body: unknown, error: unknown): unknown {
  const events = fieldOf(body, 'events');
  if (!Array.isArray(events)) return body;
  const index = error instanceof FairleadError ? fieldOf(error.details, 'index') : undefined;
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
