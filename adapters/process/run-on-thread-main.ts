import { parentPort, workerData } from 'node:worker_threads';
import { untilAborted } from '../../domain/objects/until-aborted.ts';
import type { ThreadRun, ThreadRunMessage } from './run-on-thread.ts';
import { runProcess } from './run-process.ts';
import { createPieceWriter } from './shared-pieces.ts';

/** The thread of one command: see `runOnThread`. It ends with its last message. */
const { command, args, options, slots } = workerData as ThreadRun;
const stopped = new AbortController();
const pieces = createPieceWriter(slots, tell);

parentPort?.on('message', (message: number | 'stop') => {
  if (message !== 'stop') return pieces.takeBack(message);
  stopped.abort(new Error('the command was stopped'));
  pieces.fail(stopped.signal.reason);
});

try {
  const result = await runProcess(command, args, {
    ...options,
    signal: stopped.signal,
    async output(stdout) {
      for await (const bytes of untilAborted(stdout, stopped.signal)) await pieces.write(bytes);
      pieces.flush();
    },
  });
  tell({ type: 'ended', result });
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  tell({ type: 'failed', message, code });
}
parentPort?.close();

function tell(message: ThreadRunMessage): void {
  parentPort?.postMessage(message);
}
