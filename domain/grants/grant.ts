import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';

/** A service as a grant names it. The id tells it from an earlier or later service of that name. */
export interface GrantParty {
  readonly serviceId: string;
  readonly name: string;
  /** Slug of the owning org when the grant was asked for. */
  readonly org: string;
}

export function partyOf({ id, name, org }: { id: string; name: string; org: string }): GrantParty {
  return { serviceId: id, name, org };
}

export const GRANT_STATUSES = ['pending', 'approved', 'denied', 'revoked'] as const;
export type GrantStatus = (typeof GRANT_STATUSES)[number];

export const GRANT_DECISIONS = ['approve', 'deny', 'revoke'] as const;
export type GrantDecision = (typeof GRANT_DECISIONS)[number];

/** That a service of one org may use scopes of a service of another (spec 2, "Scope grant states"). */
export interface Grant {
  /** `sgr_…` */
  readonly id: string;
  readonly holder: GrantParty;
  readonly environment: Environment;
  readonly target: GrantParty;
  /** What is asked for, as in tokens: `{target}:{scope}`; sorted. */
  readonly scopes: readonly string[];
  /** What is given; empty unless approved. */
  readonly granted: readonly string[];
  readonly status: GrantStatus;
  /** True from the first approval on: its client may have scopes by it, whatever the status says by now. */
  readonly wasApproved: boolean;
  /** Counts the changes from 1 on. Who decides names the one that they saw. */
  readonly revision: number;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

/** What one grant is about: at most one for each. */
export type GrantKey = Pick<Grant, 'holder' | 'environment' | 'target'>;

/** Why a build does not go on. `approved_missing`: what is given lacks a scope. */
export type GrantBlock = Exclude<GrantStatus, 'approved'> | 'approved_missing';

/** What keeps a service from these scopes; null: it has all of them. */
export function blockOf({ status, granted }: Pick<Grant, 'status' | 'granted'>, scopes: readonly string[]) {
  if (status !== 'approved') return status;
  return scopes.every((scope) => granted.includes(scope)) ? null : ('approved_missing' satisfies GrantBlock);
}

/** A decision: in which states it is taken, and the state after it. Who denied or revoked may approve after all. */
const DECISIONS: Readonly<Record<GrantDecision, { readonly from: readonly GrantStatus[]; readonly to: GrantStatus }>> =
  {
    approve: { from: ['pending', 'denied', 'revoked'], to: 'approved' },
    deny: { from: ['pending'], to: 'denied' },
    revoke: { from: ['approved'], to: 'revoked' },
  };

export interface Deciding {
  readonly decision: GrantDecision;
  readonly by: string;
  /** Null decides whatever is asked for by now, also when that came after the decision. */
  readonly revision: number | null;
}

/**
 * The grant after a decision; the same object when that is how it stands, as for a repeated decision.
 * @throws CONFLICT when the grant is in no state for it, or was changed since `revision`
 */
export function decided(grant: Grant, { decision, by, revision }: Deciding, at: Date): Grant {
  const { from, to } = DECISIONS[decision];
  if (grant.status === to) return grant;
  if (!from.includes(grant.status)) {
    throw new FairleadError('CONFLICT', `Grant ${grant.id} is ${grant.status}: there is nothing to ${decision}`);
  }
  if (revision !== null && revision !== grant.revision) {
    const message = `Grant ${grant.id} was changed meanwhile, and asks for ${grant.scopes.join(', ')} now; look at it again`;
    throw new FairleadError('CONFLICT', message, { details: { revision: grant.revision, scopes: grant.scopes } });
  }
  const given = to === 'approved' ? { granted: grant.scopes, wasApproved: true } : { granted: [] };
  return { ...grant, ...given, status: to, revision: grant.revision + 1, decidedBy: by, decidedAt: at };
}

/** What a service asks for: its scopes, and who asks. */
export interface Asking {
  readonly scopes: readonly string[];
  readonly by: string;
}

/**
 * The grant after a deploy asked for scopes. Only what is pending changes: what was decided is not asked for again by a
 * deploy (spec 2, "denied or revoked … never re-requested").
 */
export function askedByDeploy(grant: Grant, { scopes, by }: Asking, at: Date): Grant {
  return grant.status === 'pending' ? asked(grant, { scopes, by }, at) : grant;
}

/**
 * The grant after a person asked for scopes. What was revoked may be asked for anew, with another list.
 * @throws CONFLICT when it is denied, or approved without all of them: it has to be revoked first
 */
export function askedByPerson(grant: Grant, { scopes, by }: Asking, at: Date): Grant {
  const block = blockOf(grant, scopes);
  if (block === null) return grant;
  if (block === 'denied') {
    throw new FairleadError('CONFLICT', `Grant ${grant.id} is denied; ${grant.target.org} can approve it`);
  }
  if (block === 'approved_missing') {
    const message = `Grant ${grant.id} is approved for ${grant.granted.join(', ')}: ${grant.target.org} has to revoke it first`;
    throw new FairleadError('CONFLICT', message);
  }
  return asked({ ...grant, status: 'pending' }, { scopes, by }, at, grant.status !== 'pending');
}

function asked(grant: Grant, { scopes, by }: Asking, at: Date, anew = false): Grant {
  const wanted = sortedScopes(scopes);
  if (!anew && wanted.join(' ') === grant.scopes.join(' ')) return grant;
  // Whoever decided before decided about something else.
  const open = { decidedBy: null, decidedAt: null };
  return {
    ...grant,
    ...open,
    scopes: wanted,
    granted: [],
    revision: grant.revision + 1,
    requestedBy: by,
    requestedAt: at,
  };
}

export function sortedScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].sort();
}
