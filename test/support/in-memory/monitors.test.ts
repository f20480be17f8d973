import { createBurnStore } from '../../../adapters/mongo/monitors/burns.ts';
import { createCheckSecretStore } from '../../../adapters/mongo/monitors/check-secrets.ts';
import { createMailCounts } from '../../../adapters/mongo/notifications/mail-counts.ts';
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
import { createDatabase } from './database/database.ts';
import { createMemoryHeartbeats } from './heartbeats.ts';
import { createMemoryIncidents } from './incidents.ts';
import { createMemoryResults, createMemoryRollUps } from './monitor-history.ts';
import { createMemoryConditions, createMemoryMonitors } from './monitors.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryEscalations,
  createMemoryNotices,
} from './notifications.ts';

const monitors = createMemoryMonitors();
monitorStoreSuite(() => monitors);
const conditions = createMemoryConditions();
conditionStoreSuite(() => conditions);
const results = createMemoryResults();
resultStoreSuite(() => results);
const rollUps = createMemoryRollUps();
rollUpStoreSuite(() => rollUps);
const incidents = createMemoryIncidents();
incidentStoreSuite(() => incidents);
const channels = createMemoryChannels();
channelStoreSuite(() => channels);
const deliveries = createMemoryDeliveries();
deliveryStoreSuite(() => deliveries);
const escalations = createMemoryEscalations();
escalationStoreSuite(() => escalations);
const notices = createMemoryNotices();
noticeStoreSuite(() => notices);
const counts = createMailCounts({ db: createDatabase().connection.db });
confirmationCountsSuite(() => counts);
const heartbeats = createMemoryHeartbeats();
heartbeatStoreSuite(() => heartbeats);
const burns = createBurnStore({ db: createDatabase().connection.db });
burnStoreSuite(() => burns);
const secrets = createCheckSecretStore({ db: createDatabase().connection.db });
checkSecretStoreSuite(() => secrets);
