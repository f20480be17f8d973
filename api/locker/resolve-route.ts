import { FairleadError } from '../../domain/errors.ts';
import { openField } from '../../domain/locker/item-values.ts';
import { checkHandleOwner, chooseField, handleOfField, itemNotFound } from '../../domain/locker/resolve-item.ts';
import { type ResolveBody, resolveBodySchema, resolvedSchema } from '../../domain/locker/schema.ts';
import { formatLockerHandle, parseLockerHandle } from '../../domain/locker-handle.ts';
import { LOCKER_RESOLVE_SCOPE } from '../../domain/services.ts';
import type { TokenServiceCaller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import type { LockerDeps } from './deps.ts';
import { recordEvent } from './record-event.ts';

/**
 * `POST /api/resolve` (spec 2, "Configuration variables and secrets", 3 and 4; "Authentication", 5). Every attempt of a
 * client with the scope is recorded before it is answered, whatever the answer is.
 */
export function resolveRoute(deps: LockerDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/resolve',
    summary: 'The value of one field, for the service that the item is bound to',
    description:
      'For clients of LOCKER_RESOLVE_CLIENTS by a token of their own with exactly this scope. `destination` is what that client vouches for.',
    tag: 'locker',
    callers: { service: { scopes: [LOCKER_RESOLVE_SCOPE] } },
    body: resolveBodySchema,
    responses: { 200: { description: 'The value', schema: resolvedSchema } },
    errors: [
      ...(['LOCKER_ITEM_NOT_FOUND', 'NOT_BOUND', 'ORG_MISMATCH', 'PERSONAL_NOT_RESOLVABLE'] as const),
      ...(['ITEM_SEALED', 'FIELD_AMBIGUOUS'] as const),
    ],
    handle: async ({ body }, context) => ({ status: 200, data: await resolve(deps, context, body) }),
  });
}

interface Resolved {
  readonly handle: string;
  readonly value: string;
}

async function resolve(
  deps: LockerDeps,
  context: RouteContext<TokenServiceCaller>,
  body: ResolveBody,
): Promise<Resolved> {
  const resolved = await findValue(deps, context.caller, body).catch(async (error: unknown) => {
    if (error instanceof FairleadError) await recordAttempt(deps, context, body, { refused: error.code });
    throw error;
  });
  await recordAttempt(deps, context, body, { handle: resolved.handle });
  return resolved;
}

async function findValue(
  { items, cipher, resolvers }: LockerDeps,
  { clientId }: TokenServiceCaller,
  { source, destination }: ResolveBody,
): Promise<Resolved> {
  if (!resolvers.includes(clientId)) {
    throw new FairleadError('FORBIDDEN', `${clientId} is not among LOCKER_RESOLVE_CLIENTS`);
  }
  const { org } = destination;
  const handle = 'handle' in source ? parseLockerHandle(source.handle) : null;
  if (handle !== null) checkHandleOwner(handle, destination);
  const item =
    'legacyAlias' in source
      ? await items.findByAlias(org, source.legacyAlias)
      : handle && (await items.find({ owner: { kind: 'org', id: org }, vault: handle.vault, name: handle.item }));
  const field = chooseField(item, handle?.field ?? null, destination);
  if (item === null) throw itemNotFound();
  return { handle: handleOfField(item, field.name), value: openField(cipher, item, field) };
}

/** The event is of the org whose service was to get the value: it reads who tried, also what was of another. */
function recordAttempt(
  deps: LockerDeps,
  context: RouteContext<TokenServiceCaller>,
  { source, destination }: ResolveBody,
  outcome: { readonly handle: string } | { readonly refused: string },
): Promise<void> {
  const { org, service, serviceId } = destination;
  const done = 'handle' in outcome ? 'resolved' : 'resolve_refused';
  return recordEvent(deps, context, {
    type: `locker.item_${done}`,
    subject: subjectOf(source),
    orgSlug: org,
    data: { ...source, ...outcome, service, serviceId, serviceOrg: org },
  });
}

/** An entity of the ledger: the item, whichever field of it was asked for. */
function subjectOf(source: ResolveBody['source']): string {
  if ('legacyAlias' in source) return source.legacyAlias;
  const handle = parseLockerHandle(source.handle);
  return handle === null ? '' : formatLockerHandle({ ...handle, field: null });
}
