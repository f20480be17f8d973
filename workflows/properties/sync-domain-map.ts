import { log } from '@temporalio/workflow';
import type { SyncSummary } from '../../domain/properties/domain-map.ts';
import { refreshZones, syncDomainMap as syncMap } from './activity-proxies.ts';
import { describeFailure } from './describe-failure.ts';

/** Makes the Properties what the domain map says, and looks which of their zones are ours; one at a time. */
export async function syncDomainMap(): Promise<SyncSummary> {
  const summary = await syncMap();
  await lookAtZones();
  return summary;
}

/** Looks which zones are ours; where that fails, what was known of them stays. */
export async function lookAtZones(): Promise<void> {
  try {
    await refreshZones();
  } catch (error) {
    log.warn(`The zones could not be looked at: ${describeFailure(error).message}`);
  }
}
