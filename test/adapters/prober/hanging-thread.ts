import { parentPort, workerData } from 'node:worker_threads';
import {
  markOf,
  openSigns,
  type ProberCommand,
  type ThreadSettings,
} from '../../../adapters/prober/prober-messages.ts';

/** A thread of a prober whose checks are all ok at once; `bad` hangs it, and `dead` ends it. */
const signs = openSigns((workerData as ThreadSettings).signs);
setInterval(signs.beat, 100);
parentPort?.on('message', (command: ProberCommand) => {
  if (command.type !== 'set') return;
  for (const { id } of command.monitors) {
    signs.setMark(markOf(id));
    if (id === 'dead') throw new Error('the thread ends');
    // It beats first.
    if (id === 'bad') setTimeout(hang, 300);
  }
  const results = command.monitors.map(({ id: monitorId }) => ({
    monitorId,
    beganMs: 0,
    durationMs: 1,
    outcome: 'ok',
  }));
  parentPort?.postMessage({ type: 'results', session: command.session, results, due: [] });
});

function hang(): void {
  for (;;);
}
