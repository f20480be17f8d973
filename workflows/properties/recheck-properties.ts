import { continueAsNew, log, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { listVerified, recheckProperty } from './activity-proxies.ts';
import { describeFailure } from './describe-failure.ts';

/** Domains that are asked for at once. */
const LANES = 4;

export interface RechecksLeft {
  readonly cursor: string | null;
  readonly tally: RecheckTally;
}

export interface RecheckTally {
  readonly verified: number;
  readonly lost: number;
  /** The search engine did not say. */
  readonly failed: number;
}

/** Asks the search engine whether each verified domain still is; schedule `property-recheck`. The DNS is never written. */
export async function recheckProperties(left?: RechecksLeft): Promise<RecheckTally> {
  let cursor = left?.cursor ?? null;
  const tally = { verified: 0, lost: 0, failed: 0, gone: 0, ...left?.tally };
  do {
    const page = await listVerified(cursor);
    const waiting = [...page.domains];
    const runOne = async (): Promise<void> => {
      for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
        tally[await recheck(domain)] += 1;
        setCurrentDetails(`${tally.verified} verified, ${tally.lost} lost, ${tally.failed} not answered`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, runOne));
    cursor = page.nextCursor;
    if (cursor !== null && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof recheckProperties>({ cursor, tally });
    }
  } while (cursor !== null);
  const { verified, lost, failed } = tally;
  return { verified, lost, failed };
}

async function recheck(domain: string): Promise<keyof RecheckTally | 'gone'> {
  try {
    return await recheckProperty(domain);
  } catch (error) {
    log.warn(`${domain} could not be checked: ${describeFailure(error).message}`);
    return 'failed';
  }
}
