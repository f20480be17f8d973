import { readdirSync, readFileSync } from 'node:fs';

/** Samples the arguments of every process of the machine, as `ps` shows them, until it is stopped. */
export function watchProcesses(): { stop(): ReadonlySet<string> } {
  const seen = new Set<string>();
  const sample = (): void => {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // The process ended between the listing and the look.
      }
    }
  };
  const timer = setInterval(sample, 25);
  sample();
  return {
    stop: () => {
      clearInterval(timer);
      return seen;
    },
  };
}
