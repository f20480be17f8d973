import type { ClientAdministration } from '../../../domain/oauth-clients/administration-port.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { ClientStore } from '../../../domain/oauth-clients/ports.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { createInMemoryClientAdministration, hashOfSecret, newClientSecret } from './client-administration.ts';
import { createInMemoryClientStore } from './client-store.ts';

/** The clients of an identity provider in this process, and what tests look at past the port. */
export interface InMemoryClients {
  readonly administration: ClientAdministration;
  readonly store: ClientStore;
  /** A client and its secret. */
  seedClient(clientId: string, fields?: Partial<ClientRecord>): Promise<{ readonly secret: string }>;
  /** Whether a client can prove itself with a secret. */
  accepts(clientId: string, secret: string): Promise<boolean>;
}

/** A provider with these orgs. */
export function createInMemoryClients(orgs: readonly string[]): InMemoryClients {
  const now = () => new Date();
  const store = createInMemoryClientStore({ now });
  return {
    administration: createInMemoryClientAdministration({ clients: store, now, orgs: new Set(orgs) }),
    store,
    async seedClient(clientId, fields = {}) {
      const { text, record } = newClientSecret(now());
      const own = { name: `Client ${clientId}`, redirectUris: [], secrets: [record] };
      await store.insert(clientRecord({ clientId, ...own, ...fields }));
      return { secret: text };
    },
    async accepts(clientId, secret) {
      const hash = hashOfSecret(secret);
      return (await store.find(clientId))?.secrets.some((known) => known.hash === hash) ?? false;
    },
  };
}
