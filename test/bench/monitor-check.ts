import { median } from './parts/median.ts';
import {
  type CheckerFigures,
  describeFigures,
  HANGING,
  INTERVAL_SECONDS,
  MONITORS,
  measureChecker,
  startSites,
} from './parts/monitor-loads.ts';

/**
 * CPU time of a check by the prober (schedule, guard of addresses, request, judgement and the way to the other thread) over
 * that of a bare loop of timers and requests in the same run, in turns: 5,000 monitors at 30 s, of which 1,000 hang. Each
 * round is a process of its own.
 */
export const needsStack = false;

const ROUNDS = 3;
const WARM_MS = 15_000;
/** A whole interval, so that each monitor is checked once. */
const MEASURED_MS = INTERVAL_SECONDS * 1_000;

const sites = await startSites();
const timing = { port: sites.port, warmMs: WARM_MS, measuredMs: MEASURED_MS };
const perCheck = ({ cpuMs, checks }: CheckerFigures): number => cpuMs / checks;
console.log(`${MONITORS} monitors at ${INTERVAL_SECONDS} s, ${HANGING} of them hang`);
const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const bare = await measureChecker('bare', timing);
  const prober = await measureChecker('prober', timing);
  console.log(describeFigures('bare', bare));
  console.log(describeFigures('prober', prober));
  ratios.push(perCheck(prober) / perCheck(bare));
}
console.log(`monitor-check: ${median(ratios).toFixed(2)}`);
sites.stop();
process.exit();
