import { availableParallelism, type CpuInfo, cpus, freemem } from 'node:os';

export interface Machine {
  readonly cpus: () => readonly Pick<CpuInfo, 'times'>[];
  readonly freeBytes: () => number;
  readonly nowMs: () => number;
}

const THIS_MACHINE: Machine = { cpus, freeBytes: freemem, nowMs: () => performance.now() };

/** What starts takes a moment before it uses a core. */
const LOOK_EVERY_MS = 1_000;
/** Of one core, over that time. */
const IDLE_SHARE = 0.5;
/** A test file and the servers that it starts. */
const FREE_BYTES = 1024 ** 3;

/**
 * Tells whether the machine could run one more test file: since the last look, at least a second ago, half a core had nothing to
 * do. Always false where the process may use fewer cores than there are: how busy those are is not told.
 */
export function watchIdleCores(machine: Machine = THIS_MACHINE, usable = availableParallelism()): () => boolean {
  const idleMs = (): number => machine.cpus().reduce((sum, { times }) => sum + times.idle, 0);
  let last = { at: machine.nowMs(), idle: idleMs() };
  return () => {
    const at = machine.nowMs();
    if (machine.cpus().length > usable || at - last.at < LOOK_EVERY_MS) return false;
    const before = last;
    last = { at, idle: idleMs() };
    return last.idle - before.idle >= IDLE_SHARE * (at - before.at) && machine.freeBytes() >= FREE_BYTES;
  };
}
