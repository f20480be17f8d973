import { after, before } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { clientAdministrationSuite } from '../../ports/client-administration.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';

/** The provider's clients over HTTP, at the real provider. */
let idp: TestIdp;
before(async () => {
  idp = await startIdp();
  await idp.seedOrg('acme');
});
after(() => idp.stop());

clientAdministrationSuite(() => ({
  clients: createClientAdministration({ url: idp.address, internalKey: KEY }),
  away: createClientAdministration({ url: 'http://127.0.0.1:1', internalKey: KEY }),
  seed: async (clientId, fields) => void (await idp.seedClient(clientId, fields)),
  async accepts(clientId, secret) {
    const hash = idp.deps.tokens.hash(secret ?? '');
    return (await idp.deps.clients.find(clientId))?.secrets.some((known) => known.hash === hash) ?? false;
  },
}));
