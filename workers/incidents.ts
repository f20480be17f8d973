import { createIncidentsActivities } from '../activities/incidents/index.ts';
import { createIncidentStore } from '../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../adapters/mongo/monitor-database.ts';
import { createChannelStore } from '../adapters/mongo/notifications/channels.ts';
import { createDeliveryStore } from '../adapters/mongo/notifications/deliveries.ts';
import { createNoticeStore } from '../adapters/mongo/notifications/notices.ts';
import { createDeliveryCommands } from '../adapters/temporal/delivery-commands.ts';
import { createOutbox } from '../domain/notifications/create-outbox.ts';
import { defineModule } from './module.ts';

/** Incidents of monitors, and who is told of them. Thousands may begin at once: they take no slot from a deploy. Its setting: MONITOR_URL. */
export const incidents = defineModule({
  name: 'incidents',
  section: {},
  schedules: [],
  queue: 'own',
  slots: () => 16,
  async compose({ settings, connect, client }) {
    if (settings.urls.monitor === undefined) return null;
    const { db } = await connect('monitor');
    await createMonitorIndexes(db);
    return createIncidentsActivities({
      incidents: createIncidentStore({ db }),
      outbox: createOutbox({
        channels: createChannelStore({ db }),
        deliveries: createDeliveryStore({ db }),
        notices: createNoticeStore({ db }),
        commands: createDeliveryCommands(client),
        now: () => new Date(),
      }),
    });
  },
});
