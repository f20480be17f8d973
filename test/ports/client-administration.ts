import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientPatch } from '../../domain/oauth-clients/administration.ts';
import type { ActingFor, ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import type { NewClient, ProvisionRequest } from '../../domain/oauth-clients/client-schema.ts';
import { additionTests } from './client-additions.ts';
import { allPages } from './identity/all-pages.ts';

/** A provider with the org `acme`, and one that cannot be reached. */
export interface AdministrationUnderTest {
  readonly clients: ClientAdministration;
  readonly away: ClientAdministration;
  /** Puts a client straight into the provider's store. */
  seed(clientId: string, fields: Partial<ClientRecord>): Promise<void>;
  /** Whether a client can prove itself with a secret. */
  accepts(clientId: string, secret: string | null): Promise<boolean>;
}

const CALLBACK = 'https://suite.apps.example/api/auth/callback';
const LOCAL_CALLBACK = 'http://localhost:3000/api/auth/callback';
const ADA: ActingFor = { actor: 'usr_ada' };
const never = new AbortController().signal;
const notFound = { code: 'CLIENT_NOT_FOUND', retryable: false };

const wanted = (service: string, changes: Partial<ProvisionRequest> = {}): ProvisionRequest => ({
  service,
  environment: 'prod',
  orgSlug: 'acme',
  redirectUris: [CALLBACK],
  scopes: ['openid', 'profile', 'email'],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  create: true,
  ...changes,
});

/** What every {@link ClientAdministration} guarantees. Ids are unique for each test, so one provider serves them all. */
export function clientAdministrationSuite(under: () => AdministrationUnderTest): void {
  provisioningTests(under);
  recordTests(under);
  secretTests(under);
  additionTests(under);
  absenceTests(under);
}

function provisioningTests(under: () => AdministrationUnderTest): void {
  const provision = (service: string, changes: Partial<ProvisionRequest> = {}) =>
    under().clients.provision(wanted(service, changes), never);

  describe('ClientAdministration: provision', () => {
    it('sets who may sign in to a service, and says whether that is another rule', async () => {
      const { clients, away, seed } = under();
      await provision('suite-signin');
      const set = (service: string, signIn: 'anyone' | 'members', orgSlug = 'acme', epoch = 2) =>
        clients.setSignIn({ service, environment: 'prod', orgSlug, signIn, epoch }, never);
      const of = { clientId: 'suite-signin-prod' };
      assert.equal((await clients.find(of.clientId))?.signIn, 'anyone');
      for (const changed of [true, false]) assert.deepEqual(await set('suite-signin', 'members'), { ...of, changed });
      assert.equal((await clients.find(of.clientId))?.signIn, 'members');
      await provision('suite-signin');
      assert.equal((await clients.find(of.clientId))?.signIn, 'members', 'a deploy of the client does not change it');
      assert.deepEqual(await set('suite-signin', 'anyone'), { ...of, changed: true });
      await assert.rejects(set('suite-nobody', 'members'), notFound);
      await seed('suite-other-prod', { orgSlug: 'rival', service: 'suite-other', environment: 'prod' });
      await assert.rejects(set('suite-other', 'members'), { code: 'CLIENT_EXISTS' });
      const place = { service: 'suite-signin', environment: 'prod', orgSlug: 'acme' } as const;
      const request = { ...place, signIn: 'members', epoch: 2 } as const;
      await assert.rejects(away.setSignIn(request, never), { code: 'UNAVAILABLE', retryable: true });
    });

    it('gives no scope that a platform admin grants', async () => {
      const { clients } = under();
      await provision('suite-granting');
      for (const scope of ['webmaster:sync', 'personas:mint']) {
        for (const service of ['suite-granting', 'suite-granting-too']) {
          await assert.rejects(provision(service, { scopes: [scope] }), { code: 'FORBIDDEN' });
          assert.ok(!(await clients.find(`${service}-prod`))?.allowedScopes.includes(scope));
        }
      }
    });

    it('keeps who may sign in as a newer epoch said, also where that was what it had been', async () => {
      const { clients } = under();
      await provision('suite-epochs');
      const set = (signIn: 'anyone' | 'members', epoch: number) =>
        clients.setSignIn({ service: 'suite-epochs', environment: 'prod', orgSlug: 'acme', signIn, epoch }, never);
      const rule = async () => (await clients.find('suite-epochs-prod'))?.signIn;
      await set('members', 1_000);
      assert.equal((await set('members', 2_000)).changed, false);
      for (const late of ['anyone', 'members'] as const) await assert.rejects(set(late, 1_999), { code: 'CONFLICT' });
      assert.equal(await rule(), 'members');
      assert.equal((await set('anyone', 2_000)).changed, true);
      assert.equal(await rule(), 'anyone');
    });

    it('makes the client once, with a secret shown once, and only adds to it after that', async () => {
      const { clients, accepts } = under();
      const made = await provision('suite-once');
      assert.deepEqual([made.clientId, made.created], ['suite-once-prod', true]);
      assert.equal(await accepts('suite-once-prod', made.clientSecret), true);
      await clients.addRedirectUri('suite-once-prod', LOCAL_CALLBACK, ADA);
      const scopes = ['openid', 'mailer:send'];
      const { created, clientSecret, preserved } = await provision('suite-once', { scopes });
      assert.deepEqual([created, clientSecret], [false, null]);
      assert.deepEqual(preserved, { redirectUris: [LOCAL_CALLBACK], scopes: ['profile', 'email'], grantTypes: [] });
      const client = await clients.find('suite-once-prod');
      assert.deepEqual(client?.redirectUris, [CALLBACK, LOCAL_CALLBACK]);
      assert.deepEqual(client?.allowedScopes, ['openid', 'profile', 'email', 'mailer:send']);
      assert.deepEqual([client?.service, client?.environment, client?.orgSlug], ['suite-once', 'prod', 'acme']);
      assert.equal(await accepts('suite-once-prod', made.clientSecret), true, 'the secret it had is good still');
    });

    it('takes the passport as it is given, at every call', async () => {
      const { clients } = under();
      const passportConfig = {
        ...{ includeBranding: true, includeEntityHash: false, headless: true },
        allowedEmbedOrigins: ['https://a.example'],
      };
      await provision('suite-passport', { passportConfig });
      assert.deepEqual((await clients.find('suite-passport-prod'))?.passportConfig, passportConfig);
      const off = { ...passportConfig, headless: false, allowedEmbedOrigins: [] };
      await provision('suite-passport', { passportConfig: off });
      assert.deepEqual((await clients.find('suite-passport-prod'))?.passportConfig, off);
    });

    it('without leave to make it, a missing client is CLIENT_NOT_FOUND', async () => {
      await assert.rejects(provision('suite-missing', { create: false }), notFound);
      assert.equal(await under().clients.find('suite-missing-prod'), null);
    });

    it('gives a new secret when it is asked to, beside the others or in the place of all', async () => {
      const { accepts } = under();
      const id = 'suite-secrets-prod';
      const first = await provision('suite-secrets');
      const second = await provision('suite-secrets', { newSecret: true });
      assert.deepEqual([await accepts(id, first.clientSecret), await accepts(id, second.clientSecret)], [true, true]);
      const third = await provision('suite-secrets', { newSecret: true });
      assert.deepEqual([await accepts(id, second.clientSecret), await accepts(id, third.clientSecret)], [false, true]);
    });

    it('a client of someone else is not taken over, and a wrong callback is refused', async () => {
      const { clients, seed } = under();
      await seed('suite-theirs-prod', { orgSlug: 'other' });
      const before = await clients.find('suite-theirs-prod');
      await assert.rejects(provision('suite-theirs'), { code: 'CLIENT_EXISTS', retryable: false });
      assert.deepEqual(await clients.find('suite-theirs-prod'), before);
      const redirectUris = ['https://suite.apps.example/other'];
      await assert.rejects(provision('suite-callback', { redirectUris }), { code: 'INVALID_REDIRECT_URI' });
      assert.equal(await clients.find('suite-callback-prod'), null);
    });

    it('ten calls at once make one client', async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => provision('suite-race')));
      assert.equal(replies.filter(({ created }) => created).length, 1);
      assert.equal((await under().clients.find('suite-race-prod'))?.secrets.length, 1);
    });

    it('an aborted call throws the reason', async () => {
      const signal = AbortSignal.abort(new Error('called off'));
      await assert.rejects(under().clients.provision(wanted('suite-aborted'), signal), /called off/);
    });
  });
}

function recordTests(under: () => AdministrationUnderTest): void {
  const create = (fields: Partial<NewClient>) =>
    under().clients.create({ name: 'Suite', orgSlug: 'acme', ...fields }, ADA);

  describe('ClientAdministration: records', () => {
    it('makes a client with a secret that is shown this once, for the one it is asked for', async () => {
      const { clients, accepts } = under();
      const { clientSecret, secretId, ...made } = await create({ name: 'Back Office' });
      assert.match(made.clientId, /^back-office-[a-z0-9]+$/);
      assert.deepEqual([made.createdBy, made.allowedScopes], ['usr_ada', ['openid', 'profile', 'email']]);
      assert.equal(await accepts(made.clientId, clientSecret), true);
      const shown = await clients.find(made.clientId);
      assert.deepEqual(shown, made);
      assert.deepEqual(
        shown?.secrets.map(({ id }) => id),
        [secretId],
      );
    });

    it('refuses an id that is taken, an org that is not there, unsafe URIs and bad fields', async () => {
      await create({ clientId: 'suite-taken' });
      for (const [fields, code] of [
        [{ clientId: 'suite-taken' }, 'CLIENT_EXISTS'],
        [{ orgSlug: 'nobody' }, 'ORG_NOT_FOUND'],
        [{ redirectUris: ['http://suite.example/cb'] }, 'INVALID_REDIRECT_URI'],
        [{ trustedInviteSignup: true }, 'FORBIDDEN'],
        [{ clientId: 'usr_someone' }, 'VALIDATION_FAILED'],
        [{ clientType: 'public', allowedGrantTypes: ['client_credentials'] }, 'VALIDATION_FAILED'],
      ] as const) {
        await assert.rejects(create(fields as Partial<NewClient>), { code, retryable: false }, JSON.stringify(fields));
      }
    });

    it('changes what may change, part by part, and drops what it does not know', async () => {
      const { clients, seed } = under();
      await seed('suite-changed', { orgSlug: 'acme' });
      await clients.update('suite-changed', { passportConfig: { headless: true } }, ADA);
      const patch = { name: 'Changed', colour: 'red', orgSlug: 'thief', passportConfig: { includeBranding: true } };
      const changed = await clients.update('suite-changed', patch as ClientPatch, ADA);
      const { headless, includeBranding } = changed.passportConfig;
      assert.deepEqual([changed.name, changed.orgSlug, headless, includeBranding], ['Changed', 'acme', true, true]);
      assert.deepEqual(await clients.find('suite-changed'), changed);
      assert.deepEqual(await clients.update('suite-changed', {}, ADA), changed, 'nothing to change');
      for (const [refused, code] of [
        [{ trustedInviteSignup: true }, 'FORBIDDEN'],
        [{ redirectUris: ['http://suite.example/cb'] }, 'INVALID_REDIRECT_URI'],
      ] as const) {
        await assert.rejects(clients.update('suite-changed', refused, ADA), { code }, code);
      }
      await assert.rejects(clients.update('suite-nobody', { name: 'x' }, ADA), notFound);
    });

    it('registers and removes redirect URIs one by one', async () => {
      const { clients, seed } = under();
      await seed('suite-uris', { orgSlug: 'acme', redirectUris: [] });
      for (const time of ['once', 'twice']) {
        const { redirectUris } = await clients.addRedirectUri('suite-uris', CALLBACK, ADA);
        assert.deepEqual(redirectUris, [CALLBACK], time);
      }
      const unsafe = clients.addRedirectUri('suite-uris', 'http://suite.example/cb', ADA);
      await assert.rejects(unsafe, { code: 'INVALID_REDIRECT_URI' });
      assert.deepEqual((await clients.removeRedirectUri('suite-uris', CALLBACK, ADA)).redirectUris, []);
      await assert.rejects(clients.removeRedirectUri('suite-uris', CALLBACK, ADA), { code: 'NOT_FOUND' });
      await assert.rejects(clients.addRedirectUri('suite-nobody', CALLBACK, ADA), notFound);
      await assert.rejects(clients.removeRedirectUri('suite-nobody', CALLBACK, ADA), notFound);
    });

    it('lists by id the clients of an org and those named besides, in pages that miss and repeat nothing', async () => {
      const { clients, seed } = under();
      for (const id of ['suite-p3', 'suite-p1', 'suite-p2']) await seed(id, { orgSlug: 'suite-paged' });
      await seed('suite-p0', { orgSlug: 'other' });
      const filter = { orgSlug: 'suite-paged', clientIds: ['suite-p0', 'suite-none'] };
      const rows = await allPages((page) => clients.list(filter, page), 2);
      assert.deepEqual(
        rows.map(({ clientId }) => clientId),
        ['suite-p0', 'suite-p1', 'suite-p2', 'suite-p3'],
      );
      const all = await clients.list({ orgSlug: null, clientIds: [] }, { cursor: null, limit: 200 });
      assert.ok(all.items.some(({ clientId }) => clientId === 'suite-p0'));
    });

    it('a client is removed once, and what is not there is null and false', async () => {
      const { clients, seed } = under();
      await seed('suite-gone', { orgSlug: 'acme' });
      assert.equal(await clients.remove('suite-gone', ADA), true);
      assert.equal(await clients.remove('suite-gone', ADA), false);
      assert.equal(await clients.find('suite-gone'), null);
      await assert.rejects(clients.remove('builder', ADA), { code: 'FORBIDDEN' });
    });
  });
}

function secretTests(under: () => AdministrationUnderTest): void {
  describe('ClientAdministration: secrets', () => {
    it('adds a second secret and no third, puts one in the place of all, and ends one', async () => {
      const { clients, seed, accepts } = under();
      const id = 'suite-rotated';
      await seed(id, { orgSlug: 'acme', secrets: [] });
      const first = await clients.addSecret(id, ADA);
      const second = await clients.addSecret(id, ADA);
      assert.deepEqual([await accepts(id, first.clientSecret), await accepts(id, second.clientSecret)], [true, true]);
      await assert.rejects(clients.addSecret(id, ADA), { code: 'CLIENT_SECRETS_FULL', retryable: false });
      const { secrets } = await clients.removeSecret(id, first.secretId ?? '', ADA);
      assert.deepEqual(
        secrets.map((secret) => secret.id),
        [second.secretId],
      );
      assert.equal(await accepts(id, first.clientSecret), false);
      await assert.rejects(clients.removeSecret(id, first.secretId ?? '', ADA), { code: 'NOT_FOUND' });
      const only = await clients.regenerateSecret(id, ADA);
      assert.deepEqual([await accepts(id, second.clientSecret), await accepts(id, only.clientSecret)], [false, true]);
    });

    it('a public client has none, and an unknown one is CLIENT_NOT_FOUND', async () => {
      const { clients, seed } = under();
      await seed('suite-public', { orgSlug: 'acme', clientType: 'public', secrets: [] });
      await assert.rejects(clients.addSecret('suite-public', ADA), { code: 'CONFLICT' });
      await assert.rejects(clients.regenerateSecret('suite-public', ADA), { code: 'CONFLICT' });
      await assert.rejects(clients.addSecret('suite-nobody', ADA), notFound);
      await assert.rejects(clients.regenerateSecret('suite-nobody', ADA), notFound);
      await assert.rejects(clients.removeSecret('suite-nobody', 'sec_x', ADA), notFound);
    });
  });
}

function absenceTests(under: () => AdministrationUnderTest): void {
  it('ClientAdministration: a provider that is away is UNAVAILABLE, whatever is asked, and may be asked again', async () => {
    const { away } = under();
    const calls = [
      () => away.provision(wanted('suite-away'), never),
      () => away.find('suite-away'),
      () => away.list({ orgSlug: null, clientIds: [] }, { cursor: null, limit: 1 }),
      () => away.create({ name: 'x', orgSlug: 'acme' }, ADA),
      () => away.update('suite-away', { name: 'x' }, ADA),
      () => away.remove('suite-away', ADA),
      () => away.removeAdditions({ clientId: 'suite-away', org: 'helpers', revision: 1 }, ADA),
      () => away.addRedirectUri('suite-away', CALLBACK, ADA),
      () => away.removeRedirectUri('suite-away', CALLBACK, ADA),
      () => away.regenerateSecret('suite-away', ADA),
      () => away.addSecret('suite-away', ADA),
      () => away.removeSecret('suite-away', 'sec_x', ADA),
    ];
    for (const call of calls) await assert.rejects(call(), { code: 'UNAVAILABLE', retryable: true });
  });
}
