import type { AuthorizedOrgsView } from './authorized-orgs-schema.ts';
import type { SharingRequest } from './sharing.ts';

/** Names and shapes that the API, deploys and the workflows of authorized orgs share. */

export const SHARING_WORKFLOWS = {
  changeSharing: 'changeSharing',
  reconcileMember: 'reconcileMember',
  reconcileGitAccess: 'reconcileGitAccess',
} as const;

/** Update: authorizes an org, or takes it out. */
export const CHANGE_SHARING = 'changeSharing';
/** Update: the service is removed, and its repository is taken from the orgs that share it. */
export const WITHDRAW_REPOSITORIES = 'withdrawRepositories';

export interface ChangeSharing {
  readonly service: { readonly id: string; readonly name: string };
  readonly request: SharingRequest;
  readonly requestId: string | null;
}

export interface SharingRecorded {
  readonly view: AuthorizedOrgsView;
  /** Whether the org is new on the list. */
  readonly added: boolean;
}

/** A service with one of the orgs that share it, or shared it until now. */
export interface SharedWith {
  readonly serviceId: string;
  readonly org: string;
  /** The change that took it out, as a revision of the list; absent for one that is let in. */
  readonly takenOut?: number;
}

/** Whom a change that is written concerns. */
export function concernedBy(serviceId: string, { request }: ChangeSharing, { view }: SharingRecorded): SharedWith {
  const taken = request.want === 'deauthorized' ? { takenOut: view.revision } : {};
  return { serviceId, org: request.org, ...taken };
}

/** A person in the org that they act in. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly org: string;
}

export function sharingWorkflowId(serviceId: string): string {
  return `authorized-orgs/${serviceId}`;
}

export function memberWorkflowId({ org, userId }: Member): string {
  return `git-access/${org}/${userId}`;
}
