import type { RestartOutcome, RestartRequest } from '../../domain/deploys/restart.ts';
import { local } from './activity-proxies.ts';
import { type BuildsInFlight, isInFlight } from './join-build.ts';

/**
 * Has the active release installed once more, where no build of people is under way or waits for a decision: a restart
 * replaces none of those. Called while no other request is decided.
 */
export async function requestRestart(builds: BuildsInFlight, request: RestartRequest): Promise<RestartOutcome> {
  if (isInFlight(builds, request.buildId)) return 'started';
  if (builds.waiting !== null || builds.current !== null || builds.paused !== null) return 'busy';
  const opened = await local.openRestart(request);
  if (opened.kind === 'not needed') return 'not needed';
  if (opened.kind === 'opened') builds.waiting = { request: opened.request, plan: opened.plan };
  return 'started';
}
