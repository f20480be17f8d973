import {
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  rootCause,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { IncidentsActivities } from '../../activities/incidents/index.ts';
import type { EscalationAnswer } from '../../activities/incidents/look-at-escalation.ts';
import { changedIncident, type IncidentChange, openedIncident } from '../../domain/incidents/change-incident.ts';
import { type DueStep, dueStep } from '../../domain/incidents/escalation.ts';
import type { IncidentEvent } from '../../domain/incidents/incident-notice.ts';
import type { IncidentView } from '../../domain/incidents/incident-view.ts';
import {
  type Acknowledgement,
  INCIDENT_SIGNALS,
  type IncidentStart,
  type KnownIncident,
  type PostedUpdate,
  type Resolution,
} from '../../domain/incidents/messages.ts';
import { stepAt } from '../../domain/notifications/escalation.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/** Retried for as long as the database or Temporal may be away: an incident is never lost. */
const { openIncident, findIncident, putIncident, tellIncident, lookAtEscalation } =
  proxyActivities<IncidentsActivities>({
    taskQueue: moduleTaskQueue('incidents'),
    startToCloseTimeout: '30s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });

const acknowledged = defineSignal<[Acknowledgement]>(INCIDENT_SIGNALS.acknowledged);
const updated = defineSignal<[PostedUpdate]>(INCIDENT_SIGNALS.updated);
const resolved = defineSignal<[Resolution]>(INCIDENT_SIGNALS.resolved);
const flapped = defineSignal<[boolean]>(INCIDENT_SIGNALS.flapped);

/** Where an incident goes on that continued as new. */
export interface IncidentLeft {
  readonly incident: IncidentView;
  readonly turns: Readonly<Partial<Record<IncidentEvent, number>>>;
}

/**
 * One incident, from its beginning to its end; id `incident/<id>`, so that it runs once. Whoever has something to say of it before it has
 * begun begins it, with what is on record; so does its end, where it was lost. Each change is on record before it
 * is told, and they are told in the order in which they came. While nobody acknowledges one that is escalated, the next step is told
 * when its time has come.
 */
export async function runIncident(start: IncidentStart | KnownIncident, left?: IncidentLeft): Promise<void> {
  const changes: IncidentChange[] = [];
  setHandler(acknowledged, (acknowledgement) => void changes.push({ kind: 'acknowledged', acknowledgement }));
  setHandler(updated, (update) => void changes.push({ kind: 'updated', update }));
  setHandler(resolved, (resolution) => void changes.push({ kind: 'resolved', resolution }));
  setHandler(flapped, (isFlapping) => void changes.push({ kind: 'flapped', isFlapping }));

  const begun = left?.incident ?? (await begin(start));
  // Of one that has ended a workflow may be begun once more: the one before is forgotten, or its end is told again.
  if (begun === null || (left === undefined && begun.state === 'resolved')) return;
  const turns: Partial<Record<IncidentEvent, number>> = { ...(left?.turns ?? turnsOnRecord(begun)) };
  const tell = async (incident: IncidentView, event: IncidentEvent, at: string): Promise<void> => {
    // A step has its number on record, whatever workflow tells it.
    const turn = event === 'escalated' ? stepsTold(incident) - 1 : (turns[event] ?? 0) + 1;
    turns[event] = turn;
    setCurrentDetails(`**${incident.title}**: ${incident.state}`);
    await orLogged(() => tellIncident({ incident, event, turn, at }), 'this of it is told nobody');
  };

  let incident = begun;
  if (left === undefined) await tell(incident, 'opened', incident.startedAt);
  let lookAgainAt = 0;
  for (;;) {
    const isWoken = () => changes.length > 0 || workflowInfo().continueAsNewSuggested;
    const due = dueStep(incident);
    if (due === null) await condition(isWoken);
    else if (!(await isBefore(isWoken, Math.max(due.at, lookAgainAt)))) {
      const answer = await look(incident, due);
      if ('again' in answer) lookAgainAt = Date.parse(answer.again);
      // What came meanwhile goes first: it may have ended the escalation. Hours may lie between: the next step waits from now on.
      else changes.push({ kind: 'escalated', told: { ...answer.told, at: new Date().toISOString() } });
      continue;
    }
    const change = changes.shift();
    if (change === undefined) return continueAsNew<typeof runIncident>(start, { incident, turns });
    const next = changedIncident(incident, change);
    if (next === incident) continue;
    incident = next;
    await putIncident(incident);
    await tell(incident, eventOf(change), timeOf(change));
    if (incident.state === 'resolved') return;
  }
}

/** An incident goes on whatever is done of it: people act on it, and it ends. What cannot be done for good is in the worker's log. */
async function orLogged<T>(act: () => Promise<T>, otherwise: string): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.error(`The incident goes on, and ${otherwise}: ${rootCause(error) ?? 'no reason is known'}`);
    return undefined;
  }
}

/** Who is to be told of a step. Where that cannot be found for good, all whom it names: those that are gone are passed over later. */
async function look({ org, monitorId }: IncidentView, due: DueStep): Promise<EscalationAnswer> {
  const { policy, step } = due;
  const asked = { org, monitorId, policy, step, at: new Date().toISOString() };
  const answer = await orLogged(() => lookAtEscalation(asked), 'a step is told to whoever it names');
  return answer ?? { told: { step, channelIds: stepAt(policy, step).channelIds } };
}

/**
 * Of what may come more than once: how many a workflow before this one may have told. Each was a change, so the next one has an id
 * that none had.
 */
function turnsOnRecord({ changes = 0 }: IncidentView): Partial<Record<IncidentEvent, number>> {
  return { updated: changes, flapping: changes, steady: changes };
}

/** Null for one that is to be on record, and is not. */
function begin(start: IncidentStart | KnownIncident): Promise<IncidentView | null> {
  return 'isKnown' in start ? findIncident(start.id) : openIncident(openedIncident(start), new Date().toISOString());
}

/** Waits. @returns false where the time came first, in milliseconds */
function isBefore(isWoken: () => boolean, at: number): Promise<boolean> {
  return condition(isWoken, Math.max(1, at - Date.now()));
}

function stepsTold({ escalation }: IncidentView): number {
  return escalation?.told.length ?? 0;
}

function eventOf(change: IncidentChange): IncidentEvent {
  if (change.kind !== 'flapped') return change.kind;
  return change.isFlapping ? 'flapping' : 'steady';
}

function timeOf(change: IncidentChange): string {
  switch (change.kind) {
    case 'acknowledged':
      return change.acknowledgement.at;
    case 'escalated':
      return change.told.at;
    case 'updated':
      return change.update.at;
    case 'resolved':
      return change.resolution.at;
    case 'flapped':
      return new Date().toISOString();
  }
}
