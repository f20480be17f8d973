import {
  describeFigures,
  HANGING,
  INTERVAL_SECONDS,
  MONITORS,
  measureChecker,
  startSites,
} from './parts/monitor-loads.ts';

/**
 * How late checks begin, in ms: the 99th percentile of a minute of 5,000 monitors at 30 s, of which 1,000 hang, with all
 * shards held in one process, and their results decided on and recorded in memory. Beside it a bare loop of timers and
 * requests, measured before. Sites are a process of their own on the loopback.
 */
export const needsStack = false;

const WARM_MS = 20_000;
/** Lateness is known of the last minute. */
const MEASURED_MS = 60_000;

const sites = await startSites();
const timing = { port: sites.port, warmMs: WARM_MS, measuredMs: MEASURED_MS };
console.log(`${MONITORS} monitors at ${INTERVAL_SECONDS} s, ${HANGING} of them hang`);
const bare = await measureChecker('bare', timing);
console.log(describeFigures('bare', bare));
const holders = await measureChecker('holders', timing);
console.log(describeFigures('holders', holders));
console.log(`monitor-lateness: ${holders.p99Ms.toFixed(0)} ms`);
sites.stop();
process.exit();
