import { Client } from '@temporalio/client';
import { createIncidentsActivities } from '../../../activities/incidents/index.ts';
import { createNotificationsActivities } from '../../../activities/notifications/index.ts';
import { createDeliveryCommands } from '../../../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../../../adapters/temporal/incident-commands.ts';
import { incidentWorkflowId } from '../../../domain/incidents/messages.ts';
import { createOutbox } from '../../../domain/notifications/create-outbox.ts';
import { deliveryWorkflowId } from '../../../domain/notifications/messages.ts';
import type { NoticeSender } from '../../../domain/notifications/ports.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';
import { createMemoryChannels, createMemoryDeliveries } from '../../support/in-memory/notifications.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

/** A receiver that fails while it is told to. */
export interface Receiver {
  /** `<channel> <notice>` of each that was taken. */
  readonly taken: string[];
  attempts: number;
  fault: Error | null;
  /** The fault ends after so many attempts. */
  backAfter: number | null;
}

/** Incidents and deliveries on a time-skipping server, with their real activities on stores in memory. */
export async function startIncidents() {
  const env = await startTimeSkipping();
  // A client that skips no time.
  const client = new Client({ connection: env.connection });
  const [incidents, channels, deliveries] = [createMemoryIncidents(), createMemoryChannels(), createMemoryDeliveries()];
  const receiver: Receiver = { taken: [], attempts: 0, fault: null, backAfter: null };
  const sender: NoticeSender = {
    async send(channel, { notification }) {
      receiver.attempts += 1;
      const isBack = receiver.backAfter !== null && receiver.attempts > receiver.backAfter;
      if (receiver.fault !== null && !isBack) throw receiver.fault;
      receiver.taken.push(`${channel.id} ${notification.id}`);
    },
  };
  const now = () => new Date();
  const deliveryCommands = createDeliveryCommands(client);
  const outbox = createOutbox({ channels, deliveries, commands: deliveryCommands, now });
  const worker = await startModuleWorker(env.nativeConnection, {
    module: 'incidents',
    activities: createIncidentsActivities({ incidents, outbox }),
    others: {
      notifications: { activities: createNotificationsActivities({ channels, deliveries, sender, now }), slots: 8 },
    },
  });
  return {
    ...{ incidents, channels, deliveries, receiver, outbox, deliveryCommands },
    commands: createIncidentCommands(client),
    /** Waits for the end, skipping time. */
    ended: (id: string) => env.client.workflow.getHandle(incidentWorkflowId(id)).result(),
    terminate: (id: string) => client.workflow.getHandle(incidentWorkflowId(id)).terminate(),
    delivered: (id: string) => env.client.workflow.getHandle(deliveryWorkflowId(id)).result(),
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}
