import { clientAdministrationSuite } from '../../ports/client-administration.ts';
import { clientStoreSuite } from '../../ports/identity/client-store.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { providerAway } from './client-administration.ts';
import { createInMemoryClientStore } from './client-store.ts';
import { createInMemoryClients } from './provider.ts';

clientStoreSuite((now) => createInMemoryClientStore({ now }));

const { administration, store, accepts } = createInMemoryClients(['acme']);

clientAdministrationSuite(() => ({
  clients: administration,
  away: providerAway,
  seed: (clientId, fields) => store.insert(clientRecord({ clientId, ...fields })),
  accepts: (clientId, secret) => accepts(clientId, secret ?? ''),
}));
