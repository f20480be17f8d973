import { FairleadError } from '../../domain/errors.ts';
import { openedIncident } from '../../domain/incidents/change-incident.ts';
import { incidentId } from '../../domain/incidents/incident.ts';
import { incidentNotice } from '../../domain/incidents/incident-notice.ts';
import { fromIncidentView, toIncidentView } from '../../domain/incidents/incident-view.ts';
import type { IncidentCommands, IncidentStart } from '../../domain/incidents/messages.ts';
import { type EscalationSources, planEscalations } from '../../domain/incidents/plan-escalations.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';
import { targetOf } from '../../domain/monitors/check-kinds.ts';
import type { Transition } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { TransitionListener } from '../../domain/monitors/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

type Commands = Pick<IncidentCommands, 'begin' | 'resolve' | 'markFlapping'>;

export interface TransitionDeps extends EscalationSources {
  readonly commands: Commands;
  readonly outbox: Pick<Outbox, 'tellAll'>;
  readonly incidents: Pick<IncidentStore, 'announce'>;
  readonly now: () => Date;
}

/**
 * Makes incidents of transitions: one for each (monitor, sequence) of a `down`. Idempotent by its id. All that are down at once are
 * on record, and announced, before the first of their workflows begins, and as those would: of thousands, the last one begins
 * minutes after the first.
 */
export function createTransitionListener(deps: TransitionDeps): TransitionListener {
  const { commands, outbox, incidents, now } = deps;
  return {
    async announce(down) {
      const opened = down.flatMap(([monitor, transition]) => {
        const start = incidentStart(monitor, transition);
        return start === null ? [] : [openedIncident(start)];
      });
      const planned = await planEscalations(deps, opened, now().toISOString());
      // A holder before this one may have written it, and told nobody: its escalation holds, whatever the org has set since.
      const known = (await incidents.announce(planned.map(fromIncidentView))).map(toIncidentView);
      const told = (at: string) => ({ event: 'opened', turn: 1, at }) as const;
      await outbox.tellAll(known.map((incident) => incidentNotice(incident, told(incident.startedAt))));
    },
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
    ...(monitor.environment !== 'prod' && { severity: 'warning' }),
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
