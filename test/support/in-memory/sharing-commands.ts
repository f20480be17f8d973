import type { SharingDeps } from '../../../activities/authorized-orgs/deps.ts';
import { createSharingActivities } from '../../../activities/authorized-orgs/index.ts';
import { concernedBy, type Member } from '../../../domain/authorized-orgs/messages.ts';
import type { SharingCommands } from '../../../domain/authorized-orgs/ports.ts';

export interface InMemorySharingCommands extends SharingCommands {
  /** Whom the git host was to be made to agree with, in order. */
  readonly reconciled: readonly Member[];
}

/** The workflows of authorized orgs in this process: their activities in the same order, and nothing retried. */
export function createInMemorySharingCommands(deps: SharingDeps): InMemorySharingCommands {
  const activities = createSharingActivities(deps);
  const reconciled: Member[] = [];
  return {
    reconciled,
    async change(change) {
      const recorded = await activities.recordSharing(change);
      const of = concernedBy(change.service.id, change, recorded);
      await activities.takeScopes(of);
      await activities.setRepositoryRole(of);
      await activities.tellWaitingBuilds(of);
      return recorded;
    },
    withdraw: (serviceId) => activities.withdrawRepositories(serviceId),
    async reconcileMember(member) {
      reconciled.push(member);
      await activities.reconcileRepositories(member);
    },
  };
}
