import { Client } from '@temporalio/client';
import { createIncidentsActivities } from '../../../activities/incidents/index.ts';
import { createTransitionListener } from '../../../activities/incidents/tell-transition.ts';
import { DELIVERY_SLOTS } from '../../../activities/notifications/delivery-places.ts';
import { createNotificationsActivities } from '../../../activities/notifications/index.ts';
import { createDeliveryCommands } from '../../../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../../../adapters/temporal/incident-commands.ts';
import { INCIDENT_WORKFLOWS, incidentWorkflowId } from '../../../domain/incidents/messages.ts';
import { createOutbox } from '../../../domain/notifications/create-outbox.ts';
import { deliveryWorkflowId } from '../../../domain/notifications/messages.ts';
import type { NoticeSender } from '../../../domain/notifications/ports.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryEscalations,
  createMemoryNotices,
} from '../../support/in-memory/notifications.ts';
import { pageDeliveryParts } from '../../support/page-delivery-parts.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

/** A receiver that fails while it is told to. */
export interface Receiver {
  /** `<channel> <notice>` of each that was taken. */
  readonly taken: string[];
  /** The text of each. */
  readonly texts: Map<string, string>;
  /** Their receivers take a connection and say nothing. */
  readonly hangingOrgs: Set<string | null>;
  attempts: number;
  fault: Error | null;
  /** The fault ends after so many attempts. */
  backAfter: number | null;
}

async function hang(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Incidents and deliveries on a time-skipping server, with their real activities on stores in memory. */
export async function startIncidents({ slots = DELIVERY_SLOTS } = {}) {
  const env = await startTimeSkipping();
  // A client that skips no time.
  const client = new Client({ connection: env.connection });
  const [incidents, channels, deliveries] = [createMemoryIncidents(), createMemoryChannels(), createMemoryDeliveries()];
  const [escalations, monitors] = [createMemoryEscalations(), createMemoryMonitors()];
  const receiver: Receiver = {
    taken: [],
    texts: new Map(),
    hangingOrgs: new Set(),
    attempts: 0,
    fault: null,
    backAfter: null,
  };
  const sender: NoticeSender = {
    async send(channel, { notification }, signal) {
      receiver.attempts += 1;
      if (receiver.hangingOrgs.has(channel.org)) await hang(signal);
      const isBack = receiver.backAfter !== null && receiver.attempts > receiver.backAfter;
      if (receiver.fault !== null && !isBack) throw receiver.fault;
      receiver.taken.push(`${channel.id} ${notification.id}`);
      receiver.texts.set(`${channel.id} ${notification.id}`, notification.text);
    },
  };
  const now = () => new Date();
  const deliveryCommands = createDeliveryCommands(client);
  const notices = createMemoryNotices();
  const outbox = createOutbox({ channels, deliveries, notices, commands: deliveryCommands, now });
  const faults: Record<'deliver' | 'tell' | 'page' | 'look', Error | null> = {
    ...{ deliver: null, tell: null, page: null, look: null },
  };
  const warnings: string[] = [];
  /** The time by which steps are late; that of the server is skipped. */
  const worldMs = { now: Date.now() };
  const orFault = async (fault: Error | null): Promise<void> => {
    if (fault !== null) throw fault;
  };
  const commands = {
    ...deliveryCommands,
    async deliver(id: string) {
      await deliveryCommands.deliver(id);
      const fault = faults.deliver;
      faults.deliver = null;
      if (fault !== null) throw fault;
    },
  };
  const mailCounts = { take: async () => true, giveBack: async () => undefined };
  const deps = { ...pageDeliveryParts(), channels, deliveries, notices, commands, sender, mailCounts, now };
  const worker = await startModuleWorker(env.nativeConnection, {
    module: 'incidents',
    activities: createIncidentsActivities({
      ...{ incidents, channels, escalations, commands: createIncidentCommands(client) },
      now: () => new Date(worldMs.now),
      monitors: {
        async find(id) {
          await orFault(faults.look);
          return monitors.find(id);
        },
      },
      outbox: {
        async tell(notice) {
          await orFault(faults.tell);
          await outbox.tell(notice);
        },
      },
      tellPage: () => orFault(faults.page),
      warn: ({ incidentId = '' }) => void warnings.push(incidentId),
    }),
    others: {
      notifications: { activities: createNotificationsActivities(deps), slots },
    },
  });
  const incidentCommands = createIncidentCommands(client);
  return {
    ...{ env, client, incidents, channels, deliveries, notices, receiver, outbox, deliveryCommands, faults, warnings },
    ...{ escalations, monitors, commands: incidentCommands },
    listener: createTransitionListener({
      ...{ commands: incidentCommands, outbox, incidents, channels, escalations, now },
      warn: () => undefined,
    }),
    /** Waits for the end, skipping time. */
    ended: (id: string) => env.client.workflow.getHandle(incidentWorkflowId(id)).result(),
    terminate: (id: string) => client.workflow.getHandle(incidentWorkflowId(id)).terminate(),
    /** Begins its workflow, that was lost, once more, with what is on record. */
    beginAgain: (id: string) =>
      client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
        ...{ workflowId: incidentWorkflowId(id), taskQueue: TASK_QUEUE, args: [{ id, isKnown: true }] },
      }),
    /** Looks for escalations that were lost, as the schedule has it done. */
    async resume() {
      worldMs.now = await env.currentTimeMs();
      return await client.workflow.execute(INCIDENT_WORKFLOWS.resumeEscalations, {
        ...{ workflowId: `resume-${worldMs.now}`, taskQueue: TASK_QUEUE },
      });
    },
    delivered: (id: string) => env.client.workflow.getHandle(deliveryWorkflowId(id)).result(),
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}
