import { setTimeout as delay } from 'node:timers/promises';
import type { KillPoint, Victim } from './kill-points.ts';

export interface KillPlan {
  /** Told of each moment of a build, whether it is one of the matrix or not. Resolves when the build may go on; true: somebody was killed. */
  readonly reach: (when: string) => Promise<boolean>;
  /** From now on somebody dies. */
  readonly begin: () => void;
  readonly kills: () => readonly Kill[];
  /** Points that were not reached so far. */
  readonly missing: () => readonly string[];
}

export interface Kill {
  readonly victim: Victim;
  readonly at: Date;
}

export interface KillPlanOptions {
  readonly points: readonly Omit<KillPoint, 'number'>[];
  /** Resolves when another process of the name serves. */
  readonly kill: (victim: Victim) => Promise<void>;
  /** How many builds are in flight. */
  readonly building: () => number;
  /** How long the first build that comes to a point of the worker waits there for the others. */
  readonly gatherMs?: number;
}

const GATHER_MS = 1_200;
/** Longest wait for processes that are down; with the other one less than the client of any service waits. */
const UP_MS = 1_000;
const LOOK_MS = 10;

const nameOf = ({ when, victim }: Omit<KillPoint, 'number'>): string => `${when}: ${victim}`;

/**
 * Which process dies at which moment. A service dies at once; one that is down then is at the point without another kill. One worker has all builds, and each of them waits several seconds
 * for the next worker: a build stays where it is due to die until the others have come to such a point as well, and one kill
 * serves all of these. It dies alone: nothing else is down then, and nothing else dies before the next one is at work.
 */
export function createKillPlan({ points, kill, building, gatherMs = GATHER_MS }: KillPlanOptions): KillPlan {
  const left = new Map(points.map((point) => [nameOf(point), point]));
  const kills: Kill[] = [];
  const down = new Set<Victim>();
  const held = new Set<string>();
  let gathering: Promise<boolean> | null = null;
  let isOn = false;

  const strike = (victim: Victim, struck: readonly string[]): void => {
    for (const name of struck) left.delete(name);
    kills.push({ victim, at: new Date() });
    down.add(victim);
    void kill(victim).finally(() => down.delete(victim));
  };

  const gather = async (): Promise<boolean> => {
    await within(gatherMs, () => held.size >= building());
    const isUp = await within(UP_MS, () => down.size === 0);
    const struck = [...held];
    held.clear();
    gathering = null;
    // Who is let go on comes to the point in a later build.
    if (isUp) strike('worker', struck);
    return isUp;
  };

  return {
    begin: () => {
      isOn = true;
    },
    reach: async (when) => {
      if (!isOn || down.has('worker')) return false;
      const due = [...left.values()].filter((point) => point.when === when);
      // Who is away already is away for the work of this step as well.
      for (const point of due) if (point.victim !== 'worker' && down.has(point.victim)) left.delete(nameOf(point));
      const other = due.find(({ victim }) => victim !== 'worker' && !down.has(victim));
      if (other !== undefined && gathering === null) {
        strike(other.victim, [nameOf(other)]);
        return true;
      }
      const own = due.find(({ victim }) => victim === 'worker');
      if (own === undefined || held.has(nameOf(own))) return false;
      held.add(nameOf(own));
      gathering ??= gather();
      return await gathering;
    },
    kills: () => kills,
    missing: () => [...left.keys()],
  };
}

/** Whether it was so within that time. */
async function within(ms: number, isSo: () => boolean): Promise<boolean> {
  for (const end = Date.now() + ms; !isSo(); ) {
    if (Date.now() > end) return false;
    await delay(LOOK_MS);
  }
  return true;
}
