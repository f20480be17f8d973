import { setCurrentDetails } from '@temporalio/workflow';
import type { PropertyJob } from '../../domain/search-pulls/messages.ts';
import { addPulls, NOTHING_PULLED, type PropertyPull } from '../../domain/search-pulls/pull-run.ts';
import { type pullOfEstate, pullOfOne } from './activity-proxies.ts';

/** Pulls one property; id `search-pull`, so that no other pull runs meanwhile. @throws what keeps it from being pulled */
export async function pullProperty(job: PropertyJob): Promise<PropertyPull> {
  setCurrentDetails(`pulls **${job.property}**`);
  return pullWhole(job, pullOfOne);
}

/** Attempts that end to let others have their turn, until all is pulled. @throws as {@link pullProperty} */
export async function pullWhole(job: PropertyJob, attempt: typeof pullOfEstate): Promise<PropertyPull> {
  let pull = NOTHING_PULLED;
  for (;;) {
    const { isWhole, ...part } = await attempt(job);
    pull = addPulls(pull, part);
    if (isWhole) return pull;
  }
}
