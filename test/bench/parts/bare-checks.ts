import { type ClientRequest, request } from 'node:http';

export interface BareTarget {
  readonly phaseMs: number;
  readonly path: string;
}

const TIMEOUT_MS = 10_000;

/** A timer and a request a check, and nothing else: what a check costs at least. */
export function startBareChecks(
  targets: readonly BareTarget[],
  { port, intervalMs }: { readonly port: number; readonly intervalMs: number },
  onEnd: (lateMs: number) => void,
): void {
  const start = performance.now();
  const schedule = (target: BareTarget, turn: number): void => {
    const dueMs = start + target.phaseMs + turn * intervalMs;
    setTimeout(
      () => {
        const lateMs = performance.now() - dueMs;
        schedule(target, turn + 1);
        check(target.path, port, () => onEnd(lateMs));
      },
      Math.max(1, dueMs - performance.now()),
    );
  };
  for (const target of targets) schedule(target, 0);
}

function check(path: string, port: number, onEnd: () => void): void {
  const sent: ClientRequest = request({ host: '127.0.0.1', port, path, agent: false });
  const timer = setTimeout(() => sent.destroy(), TIMEOUT_MS);
  sent.once('response', (answer) => answer.resume());
  sent.on('error', () => undefined);
  sent.once('close', () => {
    clearTimeout(timer);
    onEnd();
  });
  sent.end();
}
