import { FairleadError } from '../../domain/errors.ts';
import { openedIncident } from '../../domain/incidents/change-incident.ts';
import { incidentId } from '../../domain/incidents/incident.ts';
import { incidentNotice } from '../../domain/incidents/incident-notice.ts';
import type { IncidentCommands, IncidentStart } from '../../domain/incidents/messages.ts';
import { targetOf } from '../../domain/monitors/check-kinds.ts';
import type { Transition } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { TransitionListener } from '../../domain/monitors/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

type Commands = Pick<IncidentCommands, 'begin' | 'resolve' | 'markFlapping'>;

/**
 * Makes incidents of transitions: one for each (monitor, sequence) of a `down`. Idempotent by its id. That something is down is
 * announced before its incident begins, as that incident would: of thousands, the last one begins a minute after the first.
 */
export function createTransitionListener(commands: Commands, outbox: Pick<Outbox, 'tellAll'>): TransitionListener {
  return {
    announce: (down) =>
      outbox.tellAll(
        down.flatMap(([monitor, transition]) => {
          const start = incidentStart(monitor, transition);
          const told = { event: 'opened', turn: 1, at: start?.startedAt ?? '' } as const;
          return start === null ? [] : [incidentNotice(openedIncident(start), told)];
        }),
      ),
    async tell(monitor, transition) {
      const { downSequence } = transition;
      const start = incidentStart(monitor, transition);
      if (start !== null) await commands.begin(start);
      else if (downSequence !== null) {
        await unlessEnded(() => change(commands, transition, incidentId(monitor.id, downSequence)));
      }
    },
  };
}

/** Null for what begins no incident. */
function incidentStart(monitor: Monitor, transition: Transition): IncidentStart | null {
  const { kind, sequence, downSequence, at, message } = transition;
  if (kind !== 'down' || downSequence === null) return null;
  return {
    ...{ id: incidentId(monitor.id, downSequence), org: monitor.org, monitorId: monitor.id, sequence },
    title: titleOf(monitor),
    isPublic: monitor.isPublic,
    cause: message,
    startedAt: new Date(at).toISOString(),
  };
}

async function change(commands: Commands, transition: Transition, id: string): Promise<void> {
  const at = new Date(transition.at).toISOString();
  switch (transition.kind) {
    case 'down':
      return;
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
