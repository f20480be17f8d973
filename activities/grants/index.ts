import { FairleadError } from '../../domain/errors.ts';
import {
  askedByDeploy,
  askedByPerson,
  decided,
  type Grant,
  type GrantKey,
  sortedScopes,
} from '../../domain/grants/grant.ts';
import { type GrantView, grantView } from '../../domain/grants/grant-schema.ts';
import type { GrantRequest, GrantTransition } from '../../domain/grants/messages.ts';
import { applyToClient } from './apply-to-client.ts';
import type { GrantsDeps } from './deps.ts';

export interface RequestInput {
  readonly key: GrantKey;
  readonly request: GrantRequest;
}

export interface DecisionInput {
  readonly key: GrantKey;
  readonly transition: GrantTransition;
}

/** The activities of the workflow of a grant. */
export function createGrantsActivities(deps: GrantsDeps) {
  return {
    /** Idempotent: what is asked for already is not changed. @throws CONFLICT as `askedByPerson`; UNAVAILABLE */
    async requestGrant({ key, request }: RequestInput): Promise<GrantView> {
      const rule = request.as === 'deploy' ? askedByDeploy : askedByPerson;
      const grant = await change(deps, key, {
        missing: () => newGrant(deps, key, request),
        next: (found) => rule(found, request, deps.now()),
      });
      if (grant.status === 'pending') {
        await tell(deps, grant, { type: 'grant.requested', requestId: request.requestId });
        // What was revoked before may not have been taken yet.
        if (grant.wasApproved) await applyToClient(deps, key);
      }
      return grantView(grant);
    },

    /** Writes a decision. Idempotent. @throws CONFLICT as `decided`; NOT_FOUND when the grant is gone */
    async recordDecision({ key, transition }: DecisionInput): Promise<GrantView> {
      const grant = await change(deps, key, {
        missing: () => null,
        next: (found) => decided(found, transition, deps.now()),
      });
      await tell(deps, grant, { type: `grant.${grant.status}`, requestId: transition.requestId });
      return grantView(grant);
    },

    /** Makes the client agree with the record, whatever it says by now. Idempotent. @throws UNAVAILABLE */
    async applyGrant(key: GrantKey): Promise<void> {
      await applyToClient(deps, key);
    },
  };
}

export type GrantsActivities = ReturnType<typeof createGrantsActivities>;

interface Change {
  /** The grant to begin with, or null where there must be one. */
  readonly missing: () => Grant | null;
  readonly next: (found: Grant) => Grant;
}

const TRIES = 5;

/** Reads, decides and writes conditionally; again when another write came between. */
async function change({ grants }: GrantsDeps, key: GrantKey, { missing, next }: Change): Promise<Grant> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await grants.findFor(key);
    const changed = found === null ? missing() : next(found);
    if (changed === null) throw new FairleadError('NOT_FOUND', 'The grant is gone: one of its services was deleted');
    if (changed === found) return changed;
    const written = found === null ? await grants.insert(changed) : await grants.replace(changed, found.revision);
    if (written) return changed;
  }
  throw new FairleadError('UNAVAILABLE', 'The grant is changed by others at this moment', { retryable: true });
}

function newGrant({ newId, now }: GrantsDeps, key: GrantKey, { scopes, by }: GrantRequest): Grant {
  const { holder, environment, target } = key;
  return {
    ...{ id: newId('scopeGrant'), holder, environment, target, scopes: sortedScopes(scopes), granted: [] },
    ...{ status: 'pending', wasApproved: false, revision: 1 },
    ...{ requestedBy: by, requestedAt: now(), decidedBy: null, decidedAt: null },
  };
}

/** Once for each change: the org of the target service reads it, because it decides. */
async function tell(
  { audit }: GrantsDeps,
  { id, revision, status, holder, environment, target, scopes, requestedBy, decidedBy }: Grant,
  { type, requestId }: { readonly type: string; readonly requestId: string | null },
): Promise<void> {
  await audit?.record({
    id: `${type}/${id}/${revision}`,
    type,
    actor: (status === 'pending' ? requestedBy : decidedBy) ?? 'internal',
    subject: target.name,
    orgSlug: target.org,
    data: { grant: id, holder: holder.name, holderOrg: holder.org, environment, service: target.name, scopes },
    requestId,
    address: null,
    time: null,
  });
}
