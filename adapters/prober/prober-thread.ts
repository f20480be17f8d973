import { parentPort, workerData } from 'node:worker_threads';
import { askControls } from './ask-controls.ts';
import { createProbeGuard } from './probe-guard.ts';
import { createProbeLookup } from './probe-lookup.ts';
import { createProberCore } from './prober-core.ts';
import { monotonicMs, type ProberSettings } from './prober-messages.ts';
import { runCheck } from './run-check.ts';

/** The thread that runs all checks of a process: what else the process does makes none of them late. */
const port = parentPort;
if (port === null) throw new Error('prober-thread.ts runs as a worker thread');
const { networks, nameServers, controls } = workerData as ProberSettings;
const lookup = createProbeLookup(nameServers);
const guard = createProbeGuard({ networks, lookup });
// The operator named them: they may be in the operator's own network.
const controlGuard = createProbeGuard({ networks: { ...networks, allowed: ['0.0.0.0/0', '::/0'] }, lookup });
const handle = createProberCore({
  nowMs: monotonicMs,
  run: (check, limitMs) => runCheck(check, { guard, nameServers }, limitMs),
  askControls: () => askControls(controls, controlGuard),
  post: (event) => port.postMessage(event),
});
port.on('message', handle);
