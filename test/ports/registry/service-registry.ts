import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PackageChangelog } from '../../../domain/registry/deploy-record.ts';
import type { ServiceRegistry } from '../../../domain/registry/service-registry.ts';
import { snapshotOf } from './records.ts';

const NOON = new Date('2026-05-04T12:00:00Z');
const LATER = new Date('2026-05-04T13:00:00Z');
const HELLO = { serviceSince: NOON, org: 'acme' } as const;
const FIRST = { cursor: null, limit: 200 };
const REGISTRATION = {
  ...{ buildId: 'bld_1', releaseId: 'rel_1', commit: null, port: 4000, url: 'https://x.example' },
  healthEndpoint: '/health',
  routes: [{ path: '/a/{id}', methods: ['GET'], auth: 'user', gas: 2, charge: null, stripPrefix: null }],
  modules: [],
} as const;

const METADATA = {
  roles: [{ name: 'clerk', title: null, description: 'Enters orders' }],
  registration: { title: 'Orders', description: null, termsUrl: 'https://acme.example/terms', privacyUrl: null },
};

export interface RegistryUnderTest {
  readonly registry: ServiceRegistry;
  /** Publishes the changelog of a package, as an administrator does. */
  readonly publish: (changelog: PackageChangelog) => Promise<unknown>;
}

/** What every {@link ServiceRegistry} guarantees to the builder. Services are new for each test. */
export function serviceRegistrySuite(under: () => RegistryUnderTest): void {
  describe('ServiceRegistry', () => {
    const registry = () => under().registry;
    const declare = (id: string) => registry().declare({ id, name: id.slice(4), ...HELLO });
    const prod = (serviceId: string, epoch: number) => ({ serviceId, environment: 'prod', epoch }) as const;
    const bindings = async (serviceId: string) => {
      const { items } = await registry().listBindings({ serviceId, environment: 'prod' }, FIRST);
      return items.map(({ kind, name }) => `${kind} ${name}`);
    };

    it('declares, registers and names the namespace, once or twice', async () => {
      for (const _ of ['first', 'second']) {
        await declare('svc_twice');
        assert.equal(await registry().createNamespace('svc_twice', 'uat'), 'twice-uat');
        await registry().register(prod('svc_twice', 1), REGISTRATION);
      }
    });

    it('takes modules without an epoch, and metadata of no deploy that a newer one has followed, once or twice', async () => {
      await declare('svc_people');
      const target = { serviceId: 'svc_people', environment: 'prod' } as const;
      for (const _ of ['first', 'second']) {
        await registry().announceModules(target, { buildId: 'bld_1', modules: [{ name: 'orders', title: null }] });
        await registry().putMetadata(prod('svc_people', 4), METADATA);
      }
      await assert.rejects(registry().putMetadata(prod('svc_people', 2), METADATA), { code: 'CONFLICT' });
      await registry().announceModules(target, { buildId: 'bld_2', modules: [] });
    });

    it('every write to a service that was not declared, or that was removed, is SERVICE_NOT_FOUND', async () => {
      await declare('svc_removed');
      await registry().removeService('svc_removed');
      for (const id of ['svc_absent', 'svc_removed']) {
        const key = { buildId: 'bld_late', serviceId: id, environment: 'prod' } as const;
        const changelog = {
          ...{ notes: '- x', version: null, commit: null, deployedAt: NOON, walkthroughUrl: null },
        };
        const writes = [
          () => registry().createNamespace(id, 'prod'),
          () => registry().register(prod(id, 1), REGISTRATION),
          () => registry().announceModules({ serviceId: id, environment: 'prod' }, { buildId: 'bld_1', modules: [] }),
          () => registry().putMetadata(prod(id, 1), METADATA),
          () => registry().putBinding(prod(id, 1), { kind: 'queue', name: 'a', port: 1, path: '/', cron: null }),
          () => registry().putManifest(key, { commit: 'c', sdkVersions: {}, deployedBy: 'internal' }),
          () => registry().putSnapshot(key, snapshotOf()),
          () => registry().publishChangelog({ id, name: id.slice(4) }, changelog),
          () => bindings(id),
        ];
        for (const write of writes) await assert.rejects(write, { code: 'SERVICE_NOT_FOUND' });
        assert.equal(await registry().lastManifest({ serviceId: id, environment: 'prod' }), null);
        await registry().removeService(id);
      }
    });

    it('binds and unbinds by kind and name, in pages', async () => {
      await declare('svc_bound');
      const put = (kind: 'queue' | 'schedule', name: string) =>
        registry().putBinding(prod('svc_bound', 1), {
          ...{ kind, name, port: 4000, path: '/run' },
          cron: kind === 'queue' ? null : '0 2 * * *',
        });
      await put('queue', 'mail.out');
      await put('schedule', 'mail.out');
      await put('queue', 'a_b');
      const target = { serviceId: 'svc_bound', environment: 'prod' } as const;
      const page = await registry().listBindings(target, { cursor: null, limit: 2 });
      const rest = await registry().listBindings(target, { cursor: page.nextCursor, limit: 2 });
      assert.deepEqual(
        [...page.items, ...rest.items].map(({ kind, name, namespace, cron }) => [kind, name, namespace, cron]),
        [
          ['queue', 'a_b', 'bound-prod', null],
          ['queue', 'mail.out', 'bound-prod', null],
          ['schedule', 'mail.out', 'bound-prod', '0 2 * * *'],
        ],
      );
      for (const _ of ['first', 'second'])
        await registry().removeBinding(prod('svc_bound', 1), { kind: 'queue', name: 'mail.out' });
      assert.deepEqual(await bindings('svc_bound'), ['queue a_b', 'schedule mail.out']);
    });

    it('a deploy that a newer one has followed is told CONFLICT, and changes nothing', async () => {
      await declare('svc_late');
      await registry().putBinding(prod('svc_late', 5), { kind: 'queue', name: 'a', port: 1, path: '/', cron: null });
      await assert.rejects(registry().removeBinding(prod('svc_late', 4), { kind: 'queue', name: 'a' }), {
        code: 'CONFLICT',
      });
      await assert.rejects(registry().register(prod('svc_late', 4), REGISTRATION), { code: 'CONFLICT' });
      assert.deepEqual(await bindings('svc_late'), ['queue a']);
    });

    it('the last manifest is what was written last, with names of packages as they are', async () => {
      await declare('svc_manifest');
      const target = { serviceId: 'svc_manifest', environment: 'prod' } as const;
      assert.equal(await registry().lastManifest(target), null);
      const manifest = { commit: 'c0ffee', sdkVersions: { '@acme/a.b': '1.2.0', plain: '^2' }, deployedBy: 'usr_ada' };
      for (const _ of ['first', 'second']) {
        await registry().putManifest({ ...target, buildId: 'bld_manifest' }, manifest);
        await registry().putSnapshot({ ...target, buildId: 'bld_manifest' }, snapshotOf());
      }
      const last = await registry().lastManifest(target);
      assert.deepEqual([last?.buildId, last?.manifest, last?.snapshot], ['bld_manifest', manifest, snapshotOf()]);
      assert.ok(last?.at instanceof Date);
    });

    it('a changelog is of its service by id and name, and a walkthrough needs one', async () => {
      await declare('svc_news');
      const service = { id: 'svc_news', name: 'news' };
      const changelog = { notes: '- new', version: '1.0.0', commit: 'c', deployedAt: LATER, walkthroughUrl: null };
      await assert.rejects(registry().attachWalkthrough(service, 'https://x.example'), { code: 'NOT_FOUND' });
      await registry().publishChangelog(service, changelog);
      await registry().attachWalkthrough(service, 'https://x.example');
      const other = { id: 'svc_news', name: 'other' };
      await assert.rejects(registry().publishChangelog(other, changelog), { code: 'SERVICE_NOT_FOUND' });
      const older = { ...changelog, deployedAt: NOON };
      await assert.rejects(registry().publishChangelog(service, older), { code: 'CONFLICT' });
    });

    it('finds the changelog of exactly that package and version', async () => {
      const entry = { package: '@fairlead/sdk', version: '1.2.0', notes: '- sockets', publishedAt: NOON };
      await under().publish({ ...entry, publishedBy: 'internal' });
      const found = await registry().findPackageChangelog('@fairlead/sdk', '1.2.0');
      assert.deepEqual([found?.package, found?.version, found?.notes], ['@fairlead/sdk', '1.2.0', '- sockets']);
      assert.equal(await registry().findPackageChangelog('@fairlead/sdk', '1.3.0'), null);
    });
  });
}
