import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeploysActivities } from '../../../../activities/deploys/index.ts';
import { provisionUserAccess } from '../../../../activities/deploys/steps/provision-user-access.ts';
import { registerMetadata } from '../../../../activities/deploys/steps/register-metadata.ts';
import { restoreUserAccess } from '../../../../activities/deploys/user-access.ts';
import type { Catalog, RoleDeclaration } from '../../../../domain/catalog/catalog.ts';
import { ACTING_STEPS } from '../../../../domain/deploys/steps.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import type { SignInRule } from '../../../../domain/sign-in-rule.ts';
import { clientRecord } from '../../../ports/identity/records.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { providerAway } from '../../../support/in-memory/client-administration.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const SSO = { mode: 'sso', passport: NO_PASSPORT } as const;
const AWAY = new FairleadError('UNAVAILABLE', 'The registry is away', { system: 'registry', retryable: true });
const CLERK: RoleDeclaration = { name: 'clerk', title: 'Clerk', description: null };
const TERMS = { title: 'Orders', description: null, termsUrl: 'https://acme.example/terms', privacyUrl: null };

/** A service whose client has that rule; a release that serves, of a catalog with `serving`. */
async function useAccess(
  { before = 'anyone', serving = null }: { before?: SignInRule; serving?: Partial<Catalog> | null } = {},
  given: Given = {},
) {
  const deploy = await useDeploy({ opened: true, ...given });
  const { parts, attempt, build } = deploy;
  const of = { orgSlug: 'acme', service: 'hello', environment: 'prod' as const };
  await parts.clientStore.insert(clientRecord({ clientId: 'hello-prod', ...of, signIn: before }));
  await parts.releases.put(releaseRecord({ id: 'rel_new', service: 'hello', serviceId: 'svc_hello' }));
  if (serving !== null) {
    const release = releaseRecord({ id: 'rel_old', service: 'hello', serviceId: 'svc_hello', buildId: 'bld_old' });
    await parts.releases.put(release);
    await parts.releases.activate('rel_old', { at: new Date(0), epoch: 1, buildId: 'bld_old' });
    const catalog = catalogRecord({ auth: SSO, ...serving });
    await parts.builds.create(buildRecord({ id: 'bld_old', service: 'hello', facts: { catalog } }));
  }
  const factsOf = (changes: Partial<Catalog>) => ({
    catalog: catalogRecord({ auth: SSO, ...changes }),
    releaseId: 'rel_new',
  });
  const rule = async () => (await parts.clientStore.find('hello-prod'))?.signIn;
  const metadata = async () =>
    (await parts.serviceRegistry.stores.entries.find('svc_hello'))?.environments.prod?.metadata ?? null;
  const undo = (changes: Partial<typeof parts> = {}) =>
    restoreUserAccess({ ...parts, ...changes }, build, new AbortController().signal);
  return { ...deploy, attempt, factsOf, rule, metadata, undo };
}

const access = (signIn: SignInRule, roles: readonly RoleDeclaration[] = []) => ({ userAccess: { signIn, roles } });

describe('user-access', () => {
  const TABLE: readonly (readonly [SignInRule, Partial<Catalog>, SignInRule])[] = [
    ['anyone', access('members'), 'members'],
    ['members', access('members'), 'members'],
    // Who is let in additionally meets the release that serves only once the new one does.
    ['members', access('anyone'), 'members'],
    ['anyone', access('anyone'), 'anyone'],
    ['members', { userAccess: null }, 'members'],
    ['anyone', { ...access('members'), auth: null }, 'anyone'],
    ['anyone', { ...access('members'), auth: { mode: 'service-only', passport: NO_PASSPORT } }, 'anyone'],
  ];
  for (const [before, catalog, after] of TABLE) {
    it(`before the install, ${before} and ${JSON.stringify(catalog)} is ${after}`, async () => {
      const { parts, attempt, factsOf, rule } = await useAccess({ before });
      for (const _ of ['once', 'twice']) await provisionUserAccess(parts, attempt(factsOf(catalog)));
      assert.equal(await rule(), after);
    });
  }

  it('a provider that is away ends the build where somebody is to be kept out, and only there', async () => {
    const { parts, attempt, factsOf } = await useAccess();
    for (const clients of [providerAway, null]) {
      const step = provisionUserAccess({ ...parts, clients }, attempt(factsOf(access('members'))));
      await assert.rejects(step, { code: 'UNAVAILABLE', system: 'identity-provider' });
      await provisionUserAccess({ ...parts, clients }, attempt(factsOf(access('anyone'))));
    }
  });

  it('a client of that id that another org has is not touched', async () => {
    const { parts, attempt, factsOf } = await useAccess();
    await parts.clientStore.remove('hello-prod');
    const rival = { orgSlug: 'rival', service: 'hello', environment: 'prod' as const };
    await parts.clientStore.insert(clientRecord({ clientId: 'hello-prod', ...rival }));
    const step = provisionUserAccess(parts, attempt(factsOf(access('members'))));
    await assert.rejects(step, { code: 'CLIENT_EXISTS' });
    assert.equal((await parts.clientStore.find('hello-prod'))?.signIn, 'anyone');
  });

  describe('of a rollback', () => {
    /** `rel_old`, of `bld_back`, is gone back to; `rel_now` serves. */
    const useRollback = async (back: Partial<Catalog> | null, serving: Partial<Catalog>, before: SignInRule) => {
      const deploy = await useAccess({ before }, { build: { kind: 'rollback', releaseId: 'rel_old' } });
      const { parts } = deploy;
      for (const [name, catalog] of [
        ['old', back],
        ['now', serving],
      ] as const) {
        const of = { service: 'hello', serviceId: 'svc_hello', buildId: `bld_of_${name}` };
        await parts.releases.put(releaseRecord({ id: `rel_${name}`, ...of }));
        if (catalog === null) continue;
        const facts = { catalog: catalogRecord({ auth: SSO, ...catalog }) };
        await parts.builds.create(buildRecord({ id: of.buildId, service: 'hello', facts }));
      }
      await parts.releases.activate('rel_now', { at: new Date(0), epoch: 1, buildId: 'bld_of_now' });
      return deploy;
    };
    const ROLLBACKS: readonly (readonly [string, Partial<Catalog> | null, Partial<Catalog>, SignInRule, SignInRule])[] =
      [
        ['people are kept out before a release for members serves', access('members'), {}, 'anyone', 'members'],
        ['nobody is let in before a release for anyone serves', {}, access('members'), 'members', 'members'],
        ['a release of an unknown catalog leaves it', null, {}, 'anyone', 'anyone'],
      ];
    for (const [name, back, serving, before, after] of ROLLBACKS) {
      it(name, async () => {
        const { parts, attempt, rule, undo } = await useRollback(back, serving, before);
        for (const _ of ['once', 'twice']) await provisionUserAccess(parts, attempt({}));
        assert.equal(await rule(), after);
        await undo();
        assert.equal(await rule(), before, 'what serves has its own rule again when the rollback fails');
      });
    }

    it('ends where people are to be kept out and the provider is away, unless they are out already', async () => {
      const narrower = await useRollback(access('members'), {}, 'anyone');
      const away = { clients: providerAway };
      const step = provisionUserAccess({ ...narrower.parts, ...away }, narrower.attempt({}));
      await assert.rejects(step, { code: 'UNAVAILABLE', system: 'identity-provider' });
      const same = await useRollback(access('members'), access('members'), 'members');
      const attempt = same.attempt({});
      await provisionUserAccess({ ...same.parts, ...away }, attempt);
      assert.match(attempt.warnings.join(), /stays for members/);
      const gone = await useRollback(access('members'), {}, 'anyone');
      await gone.parts.clientStore.remove('hello-prod');
      await provisionUserAccess(gone.parts, gone.attempt({}));
    });
  });

  it('what undoes a step is an activity, for this step as for all', async () => {
    const { parts } = await useAccess();
    const activities: Readonly<Record<string, unknown>> = createDeploysActivities(parts);
    const undos = ACTING_STEPS.flatMap(({ run }) => run.undo?.activity ?? []);
    assert.ok(undos.includes('restoreUserAccess'));
    for (const undo of undos) assert.equal(typeof activities[undo], 'function', undo);
  });

  describe('when the build fails', () => {
    const UNDO: readonly (readonly [string, Partial<Catalog> | null, SignInRule])[] = [
      ['what served lets anyone in again', { userAccess: null }, 'anyone'],
      ['what served was for members and stays so', access('members'), 'members'],
      ['nothing served: the narrower rule stays', null, 'members'],
    ];
    for (const [name, serving, after] of UNDO) {
      it(name, async () => {
        const { rule, undo } = await useAccess({ before: 'members', serving });
        await undo();
        await undo();
        assert.equal(await rule(), after);
      });
    }

    it('an undo without a provider does nothing, one that is away is tried again, one without a client is done', async () => {
      const { parts, undo } = await useAccess({ before: 'members', serving: {} });
      await assert.rejects(undo({ clients: providerAway as typeof parts.clients }), { code: 'UNAVAILABLE' });
      await parts.clientStore.remove('hello-prod');
      await undo();
      await parts.services.remove('svc_hello');
      await undo();
    });
  });
});

describe('role-metadata', () => {
  const TABLE: readonly (readonly [SignInRule, Partial<Catalog>, SignInRule])[] = [
    ['members', access('anyone'), 'anyone'],
    ['members', { userAccess: null }, 'anyone'],
    ['anyone', access('members'), 'members'],
    ['members', { auth: null }, 'members'],
  ];
  for (const [before, catalog, after] of TABLE) {
    it(`once the release serves, ${before} and ${JSON.stringify(catalog)} is ${after}`, async () => {
      const { parts, attempt, factsOf, rule } = await useAccess({ before });
      for (const _ of ['once', 'twice']) await registerMetadata(parts, attempt(factsOf(catalog)));
      assert.equal(await rule(), after);
    });
  }

  it('tells the registry roles and registration, and takes back what a catalog drops', async () => {
    const { parts, attempt, factsOf, metadata } = await useAccess();
    await registerMetadata(parts, attempt(factsOf({ ...access('anyone', [CLERK]), registration: TERMS })));
    assert.deepEqual(await metadata(), { roles: [CLERK], registration: TERMS });
    await registerMetadata(parts, attempt(factsOf({})));
    assert.deepEqual(await metadata(), { roles: [], registration: null });
  });

  it('a rollback brings back what the catalog of its release said, and warns where that is not known any more', async () => {
    const { parts, attempt, rule, metadata } = await useAccess(
      { serving: access('members', [CLERK]) },
      { build: { kind: 'rollback', releaseId: 'rel_old' } },
    );
    await registerMetadata(parts, attempt({ releaseId: 'rel_old' }));
    assert.deepEqual([await rule(), (await metadata())?.roles], ['members', [CLERK]]);
    const step = attempt({ releaseId: 'rel_new' });
    await registerMetadata(parts, step);
    assert.match(step.warnings.join(), /not known any more/);
    assert.equal(await rule(), 'members');
  });

  it('neither the registry nor the provider waits for the other, and each failure is told', async () => {
    const away = { ...(await useAccess()).parts.serviceRegistry, putMetadata: () => Promise.reject(AWAY) };
    const one = await useAccess();
    const declared = { ...access('members', [CLERK]) };
    await assert.rejects(
      registerMetadata({ ...one.parts, serviceRegistry: away }, one.attempt(one.factsOf(declared))),
      (error) => error === AWAY,
    );
    assert.equal(await one.rule(), 'members');
    const other = await useAccess();
    const step = registerMetadata({ ...other.parts, clients: providerAway }, other.attempt(other.factsOf(declared)));
    await assert.rejects(step, { system: 'identity-provider' });
    assert.deepEqual((await other.metadata())?.roles, [CLERK]);
    const both = await useAccess();
    const attempt = both.attempt(both.factsOf(declared));
    const none = { ...both.parts, clients: providerAway, serviceRegistry: away };
    await assert.rejects(registerMetadata(none, attempt), { system: 'identity-provider' });
    assert.deepEqual(attempt.warnings, ['The registry is away']);
  });

  it('lets nobody in whom a later build keeps out, when its worker was paused in between', async () => {
    const { parts, attempt, factsOf, rule, undo } = await useAccess({ before: 'anyone', serving: {} });
    const earlier = attempt(factsOf(access('anyone')));
    await registerMetadata(parts, earlier);
    const build = { ...earlier.build, buildId: 'bld_later' };
    await parts.builds.create(buildRecord({ id: 'bld_later', service: 'hello' }));
    await provisionUserAccess(parts, { ...attempt(factsOf(access('members'))), build });
    await assert.rejects(registerMetadata({ ...parts, serviceRegistry: null }, earlier), { code: 'CONFLICT' });
    await undo();
    assert.equal(await rule(), 'members');
  });

  it('a client that is gone is a warning, and without a registry sign-in is set all the same', async () => {
    const { parts, attempt, factsOf, rule } = await useAccess();
    await registerMetadata({ ...parts, serviceRegistry: null }, attempt(factsOf(access('members'))));
    assert.equal(await rule(), 'members');
    await parts.clientStore.remove('hello-prod');
    const step = attempt(factsOf(access('members')));
    await registerMetadata(parts, step);
    assert.match(step.warnings.join(), /the next deploy makes it anew/);
  });
});
