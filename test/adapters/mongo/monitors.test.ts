import { after, before } from 'node:test';
import { createIncidentStore } from '../../../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../../../adapters/mongo/monitor-database.ts';
import { createBurnStore } from '../../../adapters/mongo/monitors/burns.ts';
import { createCheckSecretStore } from '../../../adapters/mongo/monitors/check-secrets.ts';
import { createConditionStore } from '../../../adapters/mongo/monitors/conditions.ts';
import { createHeartbeatStore } from '../../../adapters/mongo/monitors/heartbeats.ts';
import { createMonitorStore } from '../../../adapters/mongo/monitors/monitors.ts';
import { createResultStore } from '../../../adapters/mongo/monitors/results.ts';
import { createRollUpStore } from '../../../adapters/mongo/monitors/roll-ups.ts';
import { createChannelStore } from '../../../adapters/mongo/notifications/channels.ts';
import { createDeliveryStore } from '../../../adapters/mongo/notifications/deliveries.ts';
import { createEscalationStore } from '../../../adapters/mongo/notifications/escalations.ts';
import { createMailCounts } from '../../../adapters/mongo/notifications/mail-counts.ts';
import { createNoticeStore } from '../../../adapters/mongo/notifications/notices.ts';
import { incidentStoreSuite } from '../../ports/incidents/incident-store.ts';
import { burnStoreSuite } from '../../ports/monitors/burn-store.ts';
import { checkSecretStoreSuite } from '../../ports/monitors/check-secret-store.ts';
import { heartbeatStoreSuite } from '../../ports/monitors/heartbeat-store.ts';
import { resultStoreSuite, rollUpStoreSuite } from '../../ports/monitors/history-stores.ts';
import { conditionStoreSuite, monitorStoreSuite } from '../../ports/monitors/monitor-stores.ts';
import {
  channelStoreSuite,
  confirmationCountsSuite,
  deliveryStoreSuite,
  escalationStoreSuite,
  noticeStoreSuite,
} from '../../ports/notifications/notification-stores.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createMonitorIndexes(mongo.connection.db);
});
after(() => mongo.stop());

const parts = () => ({ db: mongo.connection.db });
monitorStoreSuite(() => createMonitorStore(parts()));
conditionStoreSuite(() => createConditionStore(parts()));
resultStoreSuite(() => createResultStore(parts()));
rollUpStoreSuite(() => createRollUpStore(parts()));
incidentStoreSuite(() => createIncidentStore(parts()));
channelStoreSuite(() => createChannelStore(parts()));
deliveryStoreSuite(() => createDeliveryStore(parts()));
escalationStoreSuite(() => createEscalationStore(parts()));
noticeStoreSuite(() => createNoticeStore(parts()));
confirmationCountsSuite(() => createMailCounts(parts()));
heartbeatStoreSuite(() => createHeartbeatStore(parts()));
burnStoreSuite(() => createBurnStore(parts()));
checkSecretStoreSuite(() => createCheckSecretStore(parts()));
