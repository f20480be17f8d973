import { z } from 'zod';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import {
  chainsOf,
  type HistoryRequest,
  type HistoryVerdict,
  readsMoreThan,
  verifyHistory,
} from '../../domain/audit-ledger/verify-history.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import type { LedgerDeps } from './deps.ts';
import { READERS } from './ledger-callers.ts';
import { readableOrg, requireOrg } from './readable-events.ts';

const placeSchema = z.object({ namespace: z.string(), chainIndex: z.int() });

const verdictSchema = z.object({
  valid: z.boolean(),
  brokenAt: placeSchema.nullable(),
  reason: z.string().nullable(),
  count: z.int(),
  heads: z.array(placeSchema.extend({ eventHash: hashSchema })),
});

const runSchema = z.object({
  verificationId: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  verdict: verdictSchema.nullable(),
});

const expectations = z.strictObject({
  expectedHead: hashSchema
    .optional()
    .meta({ description: 'Hash of an event that must be in the chain, such as the one of a receipt' }),
});

const RESPONSES = {
  200: { description: 'Whether the chain is valid, and if not, where and why', schema: verdictSchema },
  202: { description: 'The chain is long: ask GET /v1/verifications/:id', schema: runSchema },
};

/** The routes that verify chains (spec 3, "Endpoints": HTTP paths not shown). */
export function verifyRoutes(deps: LedgerDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/entities/:entityId/verify',
      summary: 'Whether the history of an entity is valid',
      description:
        'Verifies every chain of the ledger: an event is only as sound as the chain it is part of, and any chain may ' +
        'have had events of the entity that are gone. `count` and `heads` are of the chains that have some. `brokenAt` ' +
        'is null where the broken chain has no event of your org. A long one is answered with 202; an org may have ' +
        'two under way, and a request that is repeated meanwhile joins its own.',
      tag: 'verification',
      callers: READERS,
      params: z.strictObject({ entityId: z.string().max(256) }),
      query: expectations,
      responses: RESPONSES,
      errors: ['EVENT_NOT_FOUND', 'ORG_CLAIM_MISSING', 'UNAVAILABLE'],
      handle: async ({ params, query }, { caller }) => {
        const orgSlug = readableOrg(caller);
        const expectedHead = query.expectedHead ?? null;
        return verify(deps, caller, { kind: 'entity', entityId: params.entityId, orgSlug, expectedHead });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/namespaces/:namespace/verify',
      summary: 'Whether the chain of a namespace is valid, from its first event on',
      tag: 'verification',
      callers: READERS,
      params: z.strictObject({ namespace: z.string().max(63) }),
      query: expectations,
      responses: RESPONSES,
      errors: ['EVENT_NOT_FOUND', 'ORG_CLAIM_MISSING', 'UNAVAILABLE'],
      handle: async ({ params: { namespace }, query }, { caller }) => {
        const orgSlug = readableOrg(caller);
        if (orgSlug !== null) await requireEventOf(deps, orgSlug, namespace);
        return verify(deps, caller, { kind: 'namespace', namespace, expectedHead: query.expectedHead ?? null });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/verifications/:id',
      summary: 'Progress and result of a verification in the background',
      tag: 'verification',
      callers: READERS,
      params: z.strictObject({ id: z.string().max(100) }),
      responses: { 200: { description: 'The verification', schema: runSchema } },
      errors: ['NOT_FOUND', 'ORG_CLAIM_MISSING', 'UNAVAILABLE'],
      handle: async ({ params }, { caller }) => {
        const run = await deps.verifications.find(params.id, requireOrg(caller));
        if (run === null) throw new FairleadError('NOT_FOUND', `No verification has the id ${params.id}`);
        const { id: verificationId, status, verdict } = run;
        return { status: 200, data: { verificationId, status, verdict } };
      },
    }),
  ];
}

/** Answers short chains at once and has long ones verified in the background. */
async function verify(deps: LedgerDeps, caller: Caller, request: HistoryRequest): Promise<Reply> {
  if (request.expectedHead === null && (await chainsOf(request, deps.store)).length === 0) {
    throw new FairleadError('EVENT_NOT_FOUND', 'This entity has no events');
  }
  if (await readsMoreThan(deps.settings.verifiedAtOnce, request, deps.store)) {
    const verificationId = await deps.verifications.start(requireOrg(caller), request);
    return { status: 202, data: { verificationId, status: 'running', verdict: null } };
  }
  const { store, checkpoints, settings, signer } = deps;
  const data: HistoryVerdict = await verifyHistory(request, {
    store,
    checkpoints,
    ledgerName: settings.ledgerName,
    keys: signer.keys,
  });
  return { status: 200, data };
}

/** A namespace is for those to verify who have an event in it. @throws EVENT_NOT_FOUND */
async function requireEventOf({ store }: LedgerDeps, orgSlug: string, namespace: string): Promise<void> {
  const { items } = await store.list({ orgSlug, namespace }, { cursor: null, limit: 1 });
  if (items.length === 0) throw new FairleadError('EVENT_NOT_FOUND', `No events in the namespace ${namespace}`);
}
