import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { provisionOAuthClient } from '../../../activities/deploys/steps/provision-oauth-client.ts';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { COLLECTIONS } from '../../../adapters/mongo/oauth-clients/indexes.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { catalogRecord } from '../../ports/records.ts';
import { type Providers, startProviders } from '../../support/provider-processes.ts';
import { useDeploy } from './use-deploy.ts';

interface Outage {
  /** What happens to the provider of the service. */
  readonly what: string;
  begin(service: string): unknown;
  end(service: string): unknown;
  readonly says: RegExp;
  /** How the worker reaches the provider meanwhile, where that is not as usual. */
  readonly connection?: { readonly url?: string; readonly timeoutMs?: number };
}

/** The step that needs the identity provider, with the real client and the real provider as a process. */
describe('the OAuth client of a deploy, while the identity provider', { timeout: 300_000 }, () => {
  let providers: Providers;
  before(async () => {
    providers = await startProviders(1);
  });
  after(() => providers.stop());

  const clients = () => providers.db.collection<{ _id: string; secrets?: unknown }>(COLLECTIONS.clients);
  const clientId = (service: string) => `${service}-prod`;
  const OUTAGES: readonly Outage[] = [
    {
      what: 'is killed',
      begin: () => providers.kill(0),
      end: () => providers.start(0),
      says: /The identity provider cannot be reached\./,
    },
    {
      what: 'hangs',
      begin: () => providers.pause(0, true),
      end: () => providers.pause(0, false),
      says: /The identity provider did not answer within 1 s\./,
      connection: { timeoutMs: 1_000 },
    },
    {
      what: 'has an address that nobody knows',
      begin: () => undefined,
      end: () => undefined,
      says: /The identity provider cannot be reached\./,
      connection: { url: 'http://idp.invalid' },
    },
    {
      what: 'answers 500, since it cannot read its own record',
      begin: (service) =>
        clients().updateOne(
          { _id: clientId(service) },
          { $set: { broken: 1 }, $rename: { allowedScopes: 'lost' } },
          { upsert: true },
        ),
      end: async (service) => {
        await clients().deleteOne({
          _id: clientId(service),
          allowedScopes: { $exists: false },
          lost: { $exists: false },
        });
        await clients().updateOne(
          { _id: clientId(service) },
          { $unset: { broken: 1 }, $rename: { lost: 'allowedScopes' } },
        );
      },
      says: /The identity provider failed with INTERNAL\./,
    },
  ];

  async function newService(service: string) {
    const settings = { platformUrls: { IDP_URL: 'https://idp.example' } };
    const { parts, attempt } = await useDeploy({ settings, build: { service, serviceId: `svc_${service}` } });
    await parts.services.upsert({ id: 'svc_mailer', name: 'mailer', org: 'acme' }, {});
    return {
      /** @returns the warnings of the step */
      async deploy(changes: Partial<Catalog> = {}, connection: Outage['connection'] = {}): Promise<readonly string[]> {
        const usual = { url: providers.addresses[0] ?? '', internalKey: providers.internalKey, timeoutMs: 30_000 };
        const administration = createClientAdministration({ ...usual, ...connection });
        const catalog = catalogRecord({ auth: { mode: 'sso', passport: NO_PASSPORT }, ...changes });
        const step = attempt({ catalog });
        await provisionOAuthClient({ ...parts, clients: administration }, step);
        return step.warnings.filter((warning) => !warning.startsWith('No redirect URI'));
      },
      credential: async () => (await parts.services.find(service))?.oauthCredentials.prod ?? null,
    };
  }
  const mailer: Partial<Catalog> = { dependencies: [{ service: 'mailer', scopes: ['send'] }] };
  const scopesOf = async (service: string) =>
    (await clients().findOne<{ allowedScopes: string[] }>({ _id: clientId(service) }))?.allowedScopes;

  for (const [number, { what, begin, end, says, connection }] of OUTAGES.entries()) {
    it(`${what}: a build with stored credentials goes on with a warning, and the next one adds what was missing`, async () => {
      const service = `stored${number}`;
      const { deploy, credential } = await newService(service);
      assert.deepEqual(await deploy(), []);
      const before = await credential();
      assert.ok(before !== null);
      await begin(service);
      try {
        const warnings = await deploy(mailer, connection);
        assert.equal(warnings.length, 1);
        assert.match(warnings[0] ?? '', says);
        assert.match(warnings[0] ?? '', /were not synchronized/);
        assert.deepEqual(await credential(), before, 'what is stored still works');
      } finally {
        await end(service);
      }
      assert.deepEqual(await deploy(mailer), []);
      assert.deepEqual(await credential(), before);
      assert.ok((await scopesOf(service))?.includes('mailer:send'));
    });

    it(`${what}: a build without credentials fails, may be tried again, and succeeds once it is back`, async () => {
      const service = `first${number}`;
      const { deploy, credential } = await newService(service);
      await begin(service);
      try {
        await assert.rejects(deploy({}, connection), (error) => {
          assert.ok(error instanceof FairleadError, String(error));
          assert.match(error.message, says);
          assert.deepEqual([error.code, error.retryable, error.system], ['UNAVAILABLE', true, 'identity-provider']);
          return true;
        });
        assert.equal(await credential(), null);
      } finally {
        await end(service);
      }
      assert.deepEqual(await deploy(), []);
      assert.ok((await credential()) !== null);
    });
  }
});
