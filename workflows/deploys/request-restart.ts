import { patched } from '@temporalio/workflow';
import type { RestartOutcome, RestartRequest } from '../../domain/deploys/restart.ts';
import { local } from './activity-proxies.ts';
import { type BuildsInFlight, isInFlight } from './join-build.ts';

/**
 * Has the active release installed once more, where no build of people is under way: a restart replaces none of those. It
 * does not wait for one that waits for a decision, which goes on after it: whoever asks for a grant of another org would
 * hold off new credentials as long as nobody decides. Called while no other request is decided.
 */
export async function requestRestart(builds: BuildsInFlight, request: RestartRequest): Promise<RestartOutcome> {
  if (isInFlight(builds, request.buildId)) return 'started';
  if (builds.waiting !== null || builds.current !== null) return 'busy';
  if (builds.paused !== null && !patched('restart-beside-a-wait')) return 'busy';
  builds.isOpeningRestart = true;
  try {
    const opened = await local.openRestart(request);
    if (opened.kind === 'not needed') return 'not needed';
    if (opened.kind === 'opened') builds.waiting = { request: opened.request, plan: opened.plan };
    return 'started';
  } finally {
    builds.isOpeningRestart = false;
  }
}
