import { setTimeout as delay } from 'node:timers/promises';
import type { IncidentCommands } from '../../domain/incidents/messages.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';

export interface BeginInTurnDeps {
  readonly commands: Pick<IncidentCommands, 'begin'>;
  readonly incidents: Pick<IncidentStore, 'isBegun'>;
  /** Shortened in tests. */
  readonly longestMs?: number;
}

/** Started, and their workflow has written nothing yet, of one worker. */
const MOST_UNDER_WAY = 16;
const LOOK_EVERY_MS = 100;
/** What has not written by then is stuck, and holds nothing up. */
const LONGEST_MS = 5_000;

/**
 * Begins the workflows of incidents no faster than they get to their first step. Thousands that begin at once would stand before every
 * other workflow, and so before the notices of other orgs; that they are on record, and who is told of them, does not wait for it.
 */
export function createBeginInTurn(deps: BeginInTurnDeps): IncidentCommands['begin'] {
  const begun: string[] = [];
  return async (start) => {
    const oldest = begun.length < MOST_UNDER_WAY ? undefined : begun.shift();
    if (oldest !== undefined) await untilBegun(deps, oldest);
    await deps.commands.begin(start);
    begun.push(start.id);
  };
}

async function untilBegun({ incidents, longestMs = LONGEST_MS }: BeginInTurnDeps, id: string): Promise<void> {
  const deadline = performance.now() + longestMs;
  while (!(await incidents.isBegun(id)) && performance.now() < deadline) await delay(LOOK_EVERY_MS);
}
