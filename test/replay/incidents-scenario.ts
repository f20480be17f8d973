import { createIncidentsActivities } from '../../activities/incidents/index.ts';
import { createNotificationsActivities } from '../../activities/notifications/index.ts';
import { createDeliveryCommands } from '../../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../../adapters/temporal/incident-commands.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  INCIDENT_SIGNALS,
  INCIDENT_WORKFLOWS,
  type IncidentStart,
  incidentWorkflowId,
} from '../../domain/incidents/messages.ts';
import { createOutbox } from '../../domain/notifications/create-outbox.ts';
import { gatherWorkflowId, NOTIFICATION_WORKFLOWS } from '../../domain/notifications/messages.ts';
import type { NoticeSender } from '../../domain/notifications/ports.ts';
import { channelRecord, deliveryRecord } from '../ports/notifications/notification-stores.ts';
import { createMemoryIncidents } from '../support/in-memory/incidents.ts';
import { createMemoryMonitors } from '../support/in-memory/monitors.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryEscalations,
  createMemoryNotices,
} from '../support/in-memory/notifications.ts';
import { pageDeliveryParts } from '../support/page-delivery-parts.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const AT = '2026-11-01T10:00:00.000Z';

/**
 * An incident that is acknowledged, flaps, is told of and ends; one that is escalated until somebody acknowledges it; one that is begun again after its end; a delivery that is
 * taken at the second attempt, one that is given up and then asked for once more, and one that waits for the end of quiet hours.
 */
export async function incidents(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const [store, channels, deliveries] = [createMemoryIncidents(), createMemoryChannels(), createMemoryDeliveries()];
  const [escalations, monitors] = [createMemoryEscalations(), createMemoryMonitors()];
  const now = () => new Date(AT);
  const notices = createMemoryNotices();
  const commands = createDeliveryCommands(client);
  const outbox = createOutbox({ channels, deliveries, notices, commands, now });
  const faults: FairleadError[] = [];
  const sender: NoticeSender = {
    async send() {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
    },
  };
  const options = {
    ...{ taskQueue: 'incidents', module: 'incidents' },
    activities: createIncidentsActivities({
      ...{ incidents: store, monitors, channels, escalations, outbox, now },
      commands: createIncidentCommands(client),
      tellPage: async () => undefined,
      warn: () => undefined,
    }),
    others: {
      notifications: {
        activities: createNotificationsActivities({
          ...pageDeliveryParts(),
          mailCounts: { take: async () => true, giveBack: async () => undefined },
          channels,
          deliveries,
          notices,
          commands,
          sender,
          now,
        }),
        slots: 4,
      },
    },
  };
  await withOwnWorker(temporal, options, async (execute) => {
    const start: IncidentStart = {
      ...{ id: 'inc_recorded_1', org: 'acme', monitorId: 'mon_recorded', sequence: 1, title: 'shop' },
      ...{ isPublic: true, cause: 'It answered 503', startedAt: AT },
    };
    const handle = await client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
      ...{ taskQueue: 'incidents', workflowId: incidentWorkflowId(start.id), args: [start] },
    });
    await handle.signal(INCIDENT_SIGNALS.acknowledged, { by: 'usr_ada', at: AT });
    await handle.signal(INCIDENT_SIGNALS.flapped, true);
    await handle.signal(INCIDENT_SIGNALS.flapped, false);
    await handle.signal(INCIDENT_SIGNALS.updated, {
      at: AT,
      by: 'usr_ada',
      status: 'identified',
      body: 'A disk is full.',
    });
    await handle.signal(INCIDENT_SIGNALS.resolved, { at: AT, by: null, note: null });
    await handle.result();
    await execute(INCIDENT_WORKFLOWS.runIncident, 'incident-again', [start]);
    await execute(INCIDENT_WORKFLOWS.resumeEscalations, 'resume-escalations');
    const channel = channelRecord({ id: 'chn_recorded' });
    await channels.insert(channel);
    const [late, dead] = ['late', 'dead'].map((id) => deliveryRecord({ id, channelId: channel.id }));
    for (const delivery of [late, dead]) if (delivery !== undefined) await deliveries.insert(delivery);
    const many = Array.from({ length: 12 }, (_, index) => ({ ...deliveryRecord().notification, id: `many/${index}` }));
    await outbox.tellAll(many);
    await client.workflow.getHandle(gatherWorkflowId('acme')).result();
    faults.push(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    await execute(NOTIFICATION_WORKFLOWS.deliver, 'deliver-late', [{ id: 'late', again: false }]);
    faults.push(new FairleadError('UNAVAILABLE', 'gone'));
    await execute(NOTIFICATION_WORKFLOWS.deliver, 'deliver-dead', [{ id: 'dead', again: false }]);
    await execute(NOTIFICATION_WORKFLOWS.deliver, 'deliver-again', [{ id: 'dead', again: true }]);
    const hours = { from: '09:00', to: '11:00', timeZone: 'UTC', weekdays: null, passes: 'critical' } as const;
    const quiet = channelRecord({ id: 'chn_quiet', quiet: hours });
    await channels.insert(quiet);
    const { notification, ...facts } = deliveryRecord({ id: 'held', channelId: quiet.id });
    await deliveries.insert({ ...facts, notification: { ...notification, urgency: 'warning' } });
    await execute(NOTIFICATION_WORKFLOWS.deliver, 'deliver-held', [{ id: 'held', again: false }]);
  });
  const escalated: IncidentStart = {
    ...{ id: 'inc_recorded_2', org: 'escalating', monitorId: 'mon_recorded', sequence: 2, title: 'shop' },
    ...{ isPublic: true, cause: 'It answered 503', startedAt: AT },
  };
  await withOwnWorker(temporal, { ...options, taskQueue: 'incidents' }, async () => {
    for (const id of ['chn_first', 'chn_second', 'chn_third']) {
      await channels.insert(channelRecord({ id, org: 'escalating' }));
    }
    const step = (waitMinutes: number, id: string) => ({ waitMinutes, channelIds: [id] });
    const steps = [step(0, 'chn_first'), step(10, 'chn_second'), step(10, 'chn_third')];
    await escalations.set('escalating', 'critical', { steps, repeat: null });
    const workflowId = incidentWorkflowId(escalated.id);
    const handle = await client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
      ...{ taskQueue: 'incidents', workflowId, args: [escalated] },
    });
    await temporal.env.sleep('15m');
    await handle.signal(INCIDENT_SIGNALS.acknowledged, { by: 'usr_ada', at: AT });
    await temporal.env.sleep('15m');
    await handle.signal(INCIDENT_SIGNALS.resolved, { at: AT, by: null, note: null });
    await handle.result();
  });
  const { runId } = await client.workflow.getHandle(incidentWorkflowId('inc_recorded_1')).describe();
  const names = [
    'incident-again',
    'resume-escalations',
    'deliver-late',
    'deliver-dead',
    'deliver-again',
    'deliver-held',
  ];
  return {
    'run-incident': { workflowId: incidentWorkflowId('inc_recorded_1'), runId },
    'incident-escalated': incidentWorkflowId(escalated.id),
    'gather-notices': gatherWorkflowId('acme'),
    ...Object.fromEntries(names.map((name) => [name, name])),
  };
}
