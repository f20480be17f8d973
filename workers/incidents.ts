import { createIncidentsActivities } from '../activities/incidents/index.ts';
import { incidentsWorkerSection } from '../adapters/env/monitor-service.ts';
import { createIncidentStore } from '../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../adapters/mongo/monitor-database.ts';
import { createMonitorStore } from '../adapters/mongo/monitors/monitors.ts';
import { createChannelStore } from '../adapters/mongo/notifications/channels.ts';
import { createDeliveryStore } from '../adapters/mongo/notifications/deliveries.ts';
import { createEscalationStore } from '../adapters/mongo/notifications/escalations.ts';
import { createNoticeStore } from '../adapters/mongo/notifications/notices.ts';
import { createSubscriberStore } from '../adapters/mongo/notifications/subscribers.ts';
import { createDeliveryCommands } from '../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../adapters/temporal/incident-commands.ts';
import { createOutbox } from '../domain/notifications/create-outbox.ts';
import { withSubscribers } from '../domain/notifications/with-subscribers.ts';
import { createTellPage } from '../domain/status-page/tell-page.ts';
import { incidentsSchedules } from '../workflows/incidents/schedules.ts';
import { defineModule } from './module.ts';

/** Incidents of monitors, and who is told of them. Thousands may begin at once: they take no slot from a deploy. Its setting: MONITOR_URL. */
export const incidents = defineModule({
  name: 'incidents',
  section: incidentsWorkerSection,
  schedules: incidentsSchedules,
  queue: 'own',
  slots: () => 16,
  async compose({ env, settings, connect, client, logger }) {
    const { platformOrg, urls } = settings;
    if (urls.monitor === undefined) return null;
    const { db } = await connect('monitor');
    await createMonitorIndexes(db);
    const [channels, monitors] = [createChannelStore({ db }), createMonitorStore({ db })];
    const now = (): Date => new Date();
    const outbox = createOutbox({
      channels: withSubscribers(channels, createSubscriberStore({ db })),
      deliveries: createDeliveryStore({ db }),
      notices: createNoticeStore({ db }),
      commands: createDeliveryCommands(client),
      now,
    });
    return createIncidentsActivities({
      ...{ commands: createIncidentCommands(client), now },
      ...{ incidents: createIncidentStore({ db }), outbox, channels, monitors },
      escalations: createEscalationStore({ db }),
      warn: (problem, message) => logger.warn(problem, message),
      tellPage: createTellPage({
        ...{ monitors, outbox },
        ...{ platformOrg, platformName: env.PLATFORM_NAME, statusUrl: env.STATUS_URL ?? urls.monitor },
      }),
    });
  },
});
