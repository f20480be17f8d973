import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The load of both benches of checks. */
export const MONITORS = 5_000;
export const HANGING = 1_000;
export const INTERVAL_SECONDS = 30;

/** What a checker did in a measured time. */
export interface CheckerFigures {
  readonly checks: number;
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Left out, since the checker started. */
  readonly skipped: number;
  readonly rssMb: number;
}

/** `bare`: a loop of requests and no more. `prober`: the prober's thread. `holders`: all shards, with their records. */
export type Checker = 'bare' | 'prober' | 'holders';

/** Sites in a process of their own. */
export async function startSites(): Promise<{ readonly port: number; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'monitored-sites.ts'));
  const [port] = (await once(child, 'message')) as [number];
  return { port, stop: () => void child.kill() };
}

/** Runs a checker in a process of its own, and measures it once it has come into its stride. */
export async function measureChecker(
  checker: Checker,
  { port, warmMs, measuredMs }: { readonly port: number; readonly warmMs: number; readonly measuredMs: number },
): Promise<CheckerFigures> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'checker-process.ts'), [
    ...[checker, String(port), String(warmMs), String(measuredMs)],
  ]);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the ${checker} ended with ${code}`)));
  const [figures] = (await Promise.race([once(child, 'message'), ended])) as [CheckerFigures];
  ended.catch(() => undefined);
  child.kill();
  return figures;
}

export function describeFigures(checker: Checker, figures: CheckerFigures): string {
  const { checks, cpuMs, p50Ms, p99Ms, skipped, rssMb } = figures;
  const late = `late p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  const cpu = `${(cpuMs / checks).toFixed(2)} ms CPU a check`;
  return `${checker}: ${checks} checks, ${cpu}, ${late}, ${skipped} left out, ${rssMb.toFixed(0)} MB`;
}
