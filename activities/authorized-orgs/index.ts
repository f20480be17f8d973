import { authorizedOrgsView } from '../../domain/authorized-orgs/authorized-orgs-schema.ts';
import type { ChangeSharing, Member, SharedWith, SharingRecorded } from '../../domain/authorized-orgs/messages.ts';
import { shared } from '../../domain/authorized-orgs/sharing.ts';
import type { ServiceRecord, SharingChange } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { SharingDeps } from './deps.ts';
import {
  reconcileAllRepositories,
  reconcileRepositories,
  setRepositoryRole,
  withdrawRepositories,
} from './repository-roles.ts';
import { finishTakingOut, takeOut } from './take-out.ts';
import { tellWaitingBuilds } from './tell-waiting-builds.ts';

/** The activities of the workflows of authorized orgs. */
export function createSharingActivities(deps: SharingDeps) {
  return {
    /**
     * Writes a change, then tells the history and the audit ledger of it. Idempotent: an attempt that is repeated finds
     * its own change by its id, and both keep what was told first.
     * @throws VALIDATION_FAILED, CONFLICT, NOT_FOUND as `shared`; SERVICE_NOT_FOUND, SERVICE_BUSY; UNAVAILABLE
     */
    async recordSharing({ service, request, requestId }: ChangeSharing): Promise<SharingRecorded> {
      const after = await change(deps, service, request);
      const { lastChange } = after.sharing;
      const added = lastChange?.id === request.id && lastChange.kind === 'authorized';
      await tell(deps, after, lastChange?.id === request.id ? requestId : null);
      return { view: authorizedOrgsView(after), added };
    },

    /**
     * Takes from an org that was taken out what it added to the clients of the service, and from its own clients the scopes
     * of the service. One activity, since workflows that began before there were additions have a command for it alone.
     * Idempotent. @throws UNAVAILABLE
     */
    takeScopes: (of: SharedWith): Promise<void> => takeOut(deps, of),

    /**
     * The same for every org that was taken out and keeps something still, since the workflow that was to take it was
     * terminated. Idempotent. @throws UNAVAILABLE naming what could not be taken, after all others were
     */
    finishTakingOut: (): Promise<void> => finishTakingOut(deps),

    /**
     * Tells the builds of an org's services that may wait for scopes of a service that they need no grant any more.
     * Idempotent: who is told reads the records. @throws UNAVAILABLE
     */
    tellWaitingBuilds: (of: SharedWith): Promise<void> => tellWaitingBuilds(deps, of),

    /** Makes the git host agree with the list. Idempotent. @throws UNAVAILABLE of the system `git-host` */
    setRepositoryRole: (of: SharedWith): Promise<void> => setRepositoryRole(deps, of),

    /** Takes the repository of a service that is removed from all orgs that shared it. Idempotent. @throws UNAVAILABLE */
    withdrawRepositories: (serviceId: string): Promise<void> => withdrawRepositories(deps, serviceId),

    /** Makes the git host agree with all that the org of a person may use. Idempotent. @throws UNAVAILABLE */
    reconcileRepositories: (member: Member): Promise<void> => reconcileRepositories(deps, member),

    /** Makes the git host agree with all lists. Idempotent. @throws UNAVAILABLE */
    reconcileAllRepositories: (): Promise<void> => reconcileAllRepositories(deps),
  };
}

export type SharingActivities = ReturnType<typeof createSharingActivities>;

const TRIES = 5;

/** Reads, decides and writes conditionally; again when another write came between. */
async function change(
  deps: SharingDeps,
  { id, name }: ChangeSharing['service'],
  request: ChangeSharing['request'],
): Promise<ServiceRecord> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await deps.services.findConfirmed(id);
    if (found === null) throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${name}`);
    if (found.removingSince !== null) throw new FairleadError('SERVICE_BUSY', `Service ${name} is being removed`);
    const sharing = shared(found, request, deps.now());
    if (sharing === found.sharing) return found;
    // What an attempt that was killed did not tell is told before the next change takes its place.
    await tell(deps, found, null);
    if (await deps.services.setSharing(id, sharing, found.sharing.revision)) return { ...found, sharing };
  }
  throw new FairleadError('UNAVAILABLE', `The orgs of ${name} are changed by others at this moment`, {
    retryable: true,
  });
}

const AUDIT_TYPES: Readonly<Record<SharingChange['kind'], string>> = {
  authorized: 'service.org_authorized',
  repo_role_changed: 'service.org_repo_role_changed',
  deauthorized: 'service.org_deauthorized',
};

/** The latest change, once for each. The owner reads it, because it decides. */
async function tell(
  { sharingHistory, audit }: SharingDeps,
  { id: serviceId, name, org: owner, sharing: { lastChange, revision } }: ServiceRecord,
  requestId: string | null,
): Promise<void> {
  if (lastChange === null) return;
  const { id, kind, org, repoRole, by } = lastChange;
  await sharingHistory.add({ ...lastChange, serviceId }, kind === 'deauthorized' ? revision : undefined);
  await audit?.record({
    id: `${AUDIT_TYPES[kind]}/${id}`,
    type: AUDIT_TYPES[kind],
    actor: by,
    subject: name,
    orgSlug: owner,
    data: { service: name, serviceId, org, repoRole },
    requestId,
    address: null,
    time: null,
  });
}
