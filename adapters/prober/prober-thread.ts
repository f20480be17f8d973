import { parentPort, workerData } from 'node:worker_threads';
import { PLATFORM_LANE } from '../../domain/monitors/check-lane.ts';
import { askControls } from './ask-controls.ts';
import { createProbeGuard } from './probe-guard.ts';
import { createProbeLookup } from './probe-lookup.ts';
import { createProberCore, type RunFacts } from './prober-core.ts';
import { markOf, monotonicMs, openSigns, type ThreadSettings } from './prober-messages.ts';
import { type ActiveCheck, runCheck, type TimedFinding } from './run-check.ts';
import { createTimeShares, type TimeShare, UNMETERED } from './time-shares.ts';

/** A thread that runs checks: what else the process does makes none of them late. */
const port = parentPort;
if (port === null) throw new Error('prober-thread.ts runs as a worker thread');
const {
  networks,
  allowedOfOrgs = new Map(),
  nameServers,
  controls,
  lane,
  signs: shared,
} = workerData as ThreadSettings;
const isShared = lane !== PLATFORM_LANE;
const lookup = createProbeLookup(nameServers);
const edgeLookup = createProbeLookup(nameServers, { needsAll: true });
const guardOf = (more: readonly string[]) =>
  createProbeGuard({ networks: { ...networks, allowed: [...networks.allowed, ...more] }, lookup, edgeLookup });
const guardOfOthers = guardOf([]);
const guards = new Map([...allowedOfOrgs].map(([org, allowed]) => [org, guardOf(allowed)]));
// The operator named them: they may be in the operator's own network.
const controlGuard = guardOf(['0.0.0.0/0', '::/0']);
const signs = openSigns(shared);
const shareOf = createTimeShares(monotonicMs);
const handle = createProberCore({
  nowMs: monotonicMs,
  run,
  isShared,
  askControls: () => askControls(controls, controlGuard),
  post: (event) => port.postMessage(event),
});
port.on('message', handle);
setInterval(signs.beat, 500);

async function run(check: ActiveCheck, { id, org, headers, limitMs, located }: RunFacts): Promise<TimedFinding> {
  const guard = guards.get(org ?? '') ?? guardOfOthers;
  const locatedAddresses = async (host: string, to: number): Promise<readonly string[]> => {
    const addresses = await guard.addressesOf(host, to);
    if (addresses[0] !== undefined) located(addresses[0]);
    return addresses;
  };
  const share = marked(id, isShared ? shareOf(org ?? '') : UNMETERED);
  const found = { guard: { ...guard, addressesOf: locatedAddresses }, nameServers, share, headers };
  return await runCheck(check, found, limitMs);
}

/** Shows which check is worked on. */
function marked(id: string, share: TimeShare): TimeShare {
  const mark = markOf(id);
  return {
    isSpent: share.isSpent,
    charge(work) {
      signs.setMark(mark);
      const done = share.charge(work);
      // What is thrown ends the thread: then it still shows where.
      signs.setMark(0);
      return done;
    },
  };
}
