import { serviceClientId } from '../oauth-clients/ownership.ts';
import type { Asking, Deciding, GrantKey } from './grant.ts';

/** Names and shapes that the API, deploys and the workflows of grants share. */

export const GRANTS_WORKFLOWS = { holdGrant: 'holdGrant' } as const;

/** Update: asks for scopes. */
export const REQUEST_SCOPES = 'requestScopes';
/** Update: a decision of somebody whom the API let in. */
export const DECIDE_GRANT = 'decideGrant';
/** Update: makes the client agree with the record. */
export const APPLY_GRANT = 'applyGrant';
/** Signal: the grant was removed with one of its services. */
export const GRANT_REMOVED = 'grantRemoved';
/** Query: the grant as the workflow last wrote it. */
export const GRANT_STATE = 'grant';
/** Signals of operators, by the Temporal UI or CLI; the argument says who they are, and may be left out. */
export const OPERATOR_SIGNALS = ['approve', 'deny', 'revoke'] as const;

export interface GrantRequest extends Asking {
  /** A deploy asks for what its catalog declares; a person may ask anew for what was revoked. */
  readonly as: 'deploy' | 'person';
  readonly requestId: string | null;
}

export interface GrantTransition extends Deciding {
  readonly requestId: string | null;
}

export function grantWorkflowId({ holder, environment, target }: GrantKey): string {
  return `grant/${serviceClientId(holder.name, environment)}/${target.name}`;
}
