import { clientAdministrationSuite } from '../../ports/client-administration.ts';
import { clientStoreSuite } from '../../ports/identity/client-store.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { createInMemoryClientAdministration, hashOfSecret, providerAway } from './client-administration.ts';
import { createInMemoryClientStore } from './client-store.ts';

clientStoreSuite((now) => createInMemoryClientStore({ now }));

const now = () => new Date();
const store = createInMemoryClientStore({ now });
const clients = createInMemoryClientAdministration({ clients: store, now, orgs: new Set(['acme']) });

clientAdministrationSuite(() => ({
  clients,
  away: providerAway,
  seed: (clientId, fields) => store.insert(clientRecord({ clientId, ...fields })),
  async accepts(clientId, secret) {
    const hash = hashOfSecret(secret ?? '');
    return (await store.find(clientId))?.secrets.some((known) => known.hash === hash) ?? false;
  },
}));
