import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ActingFor, ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import type { ProvisionRequest } from '../../domain/oauth-clients/client-schema.ts';

interface AdditionsUnderTest {
  readonly clients: ClientAdministration;
  seed(clientId: string, fields: Partial<ClientRecord>): Promise<void>;
  accepts(clientId: string, secret: string | null): Promise<boolean>;
}

const CALLBACK = 'https://suite.apps.example/api/auth/callback';
const LOCAL_CALLBACK = 'http://localhost:3000/api/auth/callback';
const never = new AbortController().signal;

const DERIVED: ProvisionRequest = {
  service: 'suite-derived',
  environment: 'prod',
  orgSlug: 'acme',
  redirectUris: [CALLBACK],
  scopes: ['openid'],
  grantTypes: ['client_credentials'],
  create: true,
};

/** `suite-helpers` shares the service of a client of `acme`. */
export function additionTests(under: () => AdditionsUnderTest): void {
  const EVE: ActingFor = { actor: 'usr_eve', org: 'suite-helpers', sharingRevision: 1 };
  const OWNER: ActingFor = { actor: 'usr_ada', org: 'acme' };
  const remove = (clientId: string, revision = 2) =>
    under().clients.removeAdditions({ clientId, org: 'suite-helpers', revision }, { actor: 'internal' });

  describe('ClientAdministration: what was added by hand', () => {
    it('keeps who added it, and takes it from an org that is taken out, and from nobody else', async () => {
      const { clients, accepts, seed } = under();
      const id = 'suite-added';
      await seed(id, { orgSlug: 'acme', redirectUris: [], secrets: [] });
      const theirs = await clients.addSecret(id, EVE);
      const own = await clients.addSecret(id, OWNER);
      await clients.addRedirectUri(id, CALLBACK, OWNER);
      await clients.addRedirectUri(id, LOCAL_CALLBACK, EVE);
      await clients.addRedirectUri(id, CALLBACK, EVE);
      const customDomains = ['eve.example'];
      const seen = await clients.update(id, { redirectUris: [CALLBACK, LOCAL_CALLBACK], customDomains }, EVE);
      const [ada, eve] = [
        { org: 'acme', actor: 'usr_ada' },
        { org: 'suite-helpers', actor: 'usr_eve' },
      ];
      assert.deepEqual(
        seen.secrets.map(({ addedBy }) => addedBy),
        [eve, ada],
      );
      assert.deepEqual(seen.addedEntries, [
        { list: 'redirectUris', value: CALLBACK, ...ada },
        { list: 'redirectUris', value: LOCAL_CALLBACK, ...eve },
        { list: 'customDomains', value: 'eve.example', ...eve },
      ]);
      assert.deepEqual(await remove(id), {
        secretIds: [theirs.secretId],
        entries: [
          { list: 'redirectUris', value: LOCAL_CALLBACK },
          { list: 'customDomains', value: 'eve.example' },
        ],
      });
      assert.deepEqual([await accepts(id, theirs.clientSecret), await accepts(id, own.clientSecret)], [false, true]);
      const left = await clients.find(id);
      assert.deepEqual([left?.redirectUris, left?.customDomains], [[CALLBACK], []]);
      assert.deepEqual(await remove(id), { secretIds: [], entries: [] }, 'it can be repeated');
      assert.deepEqual(await remove('suite-nobody'), { secretIds: [], entries: [] });
    });

    it('an addition that was let before the org was taken out is refused after it, whichever it is', async () => {
      const { clients, seed } = under();
      const id = 'suite-late';
      await seed(id, { orgSlug: 'acme', redirectUris: [], secrets: [] });
      await remove(id);
      for (const late of [
        () => clients.addSecret(id, EVE),
        () => clients.regenerateSecret(id, EVE),
        () => clients.addRedirectUri(id, CALLBACK, EVE),
        () => clients.update(id, { customDomains: ['eve.example'] }, EVE),
      ]) {
        await assert.rejects(late(), { code: 'CONFLICT' });
      }
      const left = await clients.find(id);
      assert.deepEqual([left?.secrets, left?.redirectUris, left?.customDomains], [[], [], []]);
      const again = { ...EVE, sharingRevision: 3 };
      await clients.addRedirectUri(id, CALLBACK, again);
      assert.deepEqual(await remove(id), { secretIds: [], entries: [] }, 'what it adds when it is let in again stays');
    });

    it('a redirect URI that a deploy derives stays, also when the org had added it before', async () => {
      const { clients } = under();
      await clients.provision({ ...DERIVED, redirectUris: [] }, never);
      const id = 'suite-derived-prod';
      await clients.addRedirectUri(id, CALLBACK, EVE);
      await clients.provision(DERIVED, never);
      assert.deepEqual(await remove(id), { secretIds: [], entries: [] });
      assert.deepEqual((await clients.find(id))?.redirectUris, [CALLBACK]);
    });
  });
}
