import type { BuildLimits } from '../../../domain/deploys/build-limits.ts';
import { freeBytes } from '../../free-bytes.ts';
import type { ProcessEnv } from '../../process/base-env.ts';
import type { Cgroups } from './cgroups.ts';
import { end, isEnded, type Watched, type Watching } from './watched-build.ts';
import { bytesIn, writtenFolder } from './written-bytes.ts';

/** A build whose steps write little is measured as seldom as that. */
const MEASURE_EVERY_MS = 15_000;
/** Below it, the build that wrote most is ended. */
const RESERVE_BYTES = 1024 ** 3;

interface Measuring extends Watching {
  readonly cgroups: Cgroups;
  readonly onWarning: (message: string) => void;
  readonly limits: BuildLimits;
  /** Environment of the programs that measure. */
  readonly env: ProcessEnv;
}

/**
 * Ends builds that wrote more than they may and, while the disk is nearly full, the one that wrote most. Measuring takes
 * time, so the free space of the disk tells when it is worth it.
 */
export async function endFillers({ limits, env, ...watching }: Measuring): Promise<void> {
  const free = await freeBytes(watching.root);
  const isLow = free < RESERVE_BYTES;
  for (const build of watching.builds.values()) {
    const isDue =
      build.freeAtStart - free > limits.diskBytes / 4 || performance.now() - build.measuredAt > MEASURE_EVERY_MS;
    if (isEnded(build) || !(isLow || isDue)) continue;
    await measure(watching.cgroups, build, { steps: watching.steps, env, free });
    if (totalOf(build) > limits.diskBytes) end(watching, build, 'disk');
  }
  if (!isLow) return;
  const [largest] = [...watching.builds.values()]
    .filter((build) => !isEnded(build))
    .sort((one, other) => totalOf(other) - totalOf(one));
  if (largest !== undefined && totalOf(largest) > 0) end(watching, largest, 'disk');
}

async function measure(
  cgroups: Cgroups,
  build: Watched,
  { steps, env, free }: Pick<Measuring, 'steps' | 'env'> & { readonly free: number },
): Promise<void> {
  for (const id of await cgroups.children(build.group)) {
    const [pid] = await cgroups.processes(`${build.group}/${id}`);
    if (pid === undefined) continue;
    const own = await writtenFolder(pid);
    const folders = [...(own === null ? [] : [own]), ...(steps.get(id)?.mounted ?? [])];
    // What cannot be measured counts as all that the disk has lost since the build began.
    const bytes = (await bytesIn(folders, env)) ?? build.freeAtStart - free;
    build.written.set(id, Math.max(bytes, build.written.get(id) ?? 0));
  }
  build.measuredAt = performance.now();
}

function totalOf({ written }: Watched): number {
  return [...written.values()].reduce((sum, bytes) => sum + bytes, 0);
}
