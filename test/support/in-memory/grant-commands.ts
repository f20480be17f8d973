import type { GrantsDeps } from '../../../activities/grants/deps.ts';
import { createGrantsActivities } from '../../../activities/grants/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { GrantCommands } from '../../../domain/grants/ports.ts';

/** The workflows of grants in this process: their activities in the same order, and nothing retried. */
export function createInMemoryGrantCommands(deps: Omit<GrantsDeps, 'newId' | 'now'>): GrantCommands {
  const activities = createGrantsActivities({ ...deps, newId, now: () => new Date() });
  return {
    request: (key, request) => activities.requestGrant({ key, request }),
    async decide(key, transition) {
      const grant = await activities.recordDecision({ key, transition });
      await activities.applyGrant(key);
      return grant;
    },
    apply: (key) => activities.applyGrant(key),
    close: async () => undefined,
  };
}
