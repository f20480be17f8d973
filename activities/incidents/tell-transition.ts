import { FairleadError } from '../../domain/errors.ts';
import { incidentId } from '../../domain/incidents/incident.ts';
import type { IncidentCommands } from '../../domain/incidents/messages.ts';
import { targetOf } from '../../domain/monitors/check-kinds.ts';
import type { Transition } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { TransitionListener } from '../../domain/monitors/ports.ts';

type Commands = Pick<IncidentCommands, 'begin' | 'resolve' | 'markFlapping'>;

/** Makes incidents of transitions: one for each (monitor, sequence) of a `down`. Idempotent by its id. */
export function createTransitionListener(commands: Commands): TransitionListener {
  return {
    async tell(monitor, transition) {
      const { downSequence } = transition;
      if (downSequence === null) return;
      await unlessEnded(() => tellOne(commands, monitor, transition, incidentId(monitor.id, downSequence)));
    },
  };
}

async function tellOne(commands: Commands, monitor: Monitor, transition: Transition, id: string): Promise<void> {
  const at = new Date(transition.at).toISOString();
  switch (transition.kind) {
    case 'down':
      return commands.begin({
        ...{ id, org: monitor.org, monitorId: monitor.id, sequence: transition.sequence },
        title: titleOf(monitor),
        isPublic: monitor.isPublic,
        cause: transition.message,
        startedAt: at,
      });
    case 'up':
      return commands.resolve(id, { at, by: null, note: transition.message });
    case 'flapping':
    case 'steady':
      return commands.markFlapping(id, transition.kind === 'flapping');
  }
}

/** It goes into mails and lists: without a query, which may hold a key. */
function titleOf({ serviceName, environment, check }: Monitor): string {
  return `${serviceName} (${environment}, ${targetOf(check).split(/[?#]/, 1)[0]})`;
}

/** A person may have resolved it before. */
async function unlessEnded(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'INCIDENT_NOT_FOUND') throw error;
  }
}
