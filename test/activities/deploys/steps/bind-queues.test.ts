import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bindQueues } from '../../../../activities/deploys/steps/bind-queues.ts';
import type { BindingDeclaration } from '../../../../domain/catalog/catalog.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { MOST_BINDINGS } from '../../../../domain/registered-limits.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const queue = (name: string): BindingDeclaration => ({ kind: 'queue', name, path: `/queues/${name}`, cron: null });
const NIGHT: BindingDeclaration = { kind: 'schedule', name: 'night', path: '/night', cron: '0 2 * * *' };
const AWAY = new FairleadError('UNAVAILABLE', 'The service registry cannot be reached.', { system: 'registry' });

async function useBindings() {
  const deploy = await useDeploy({ opened: true });
  const { parts, attempt } = deploy;
  await parts.releases.put(releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello', port: 4000 }));
  const step = (bindings: readonly BindingDeclaration[]) =>
    attempt({ releaseId: 'rel_1', catalog: catalogRecord({ port: 4000, bindings }) });
  const bound = async (environment: 'prod' | 'uat' = 'prod') => {
    const entry = await parts.serviceRegistry.stores.entries.find('svc_hello');
    return (entry?.environments[environment]?.bindings ?? []).map(({ kind, name, port }) => `${kind} ${name} ${port}`);
  };
  return { ...deploy, step, bound };
}

describe('bindings', () => {
  it('binds each queue and schedule to the declared port, and removes what is declared no more', async () => {
    const { parts, step, bound } = await useBindings();
    await bindQueues(parts, step([queue('mail'), queue('orders'), NIGHT]));
    assert.deepEqual(await bound(), ['queue mail 4000', 'queue orders 4000', 'schedule night 4000']);
    const next = step([queue('orders'), queue('new')]);
    await bindQueues(parts, next);
    assert.deepEqual(await bound(), ['queue new 4000', 'queue orders 4000']);
    assert.equal(next.lines.filter((line) => line.startsWith('Removed the')).length, 2);
  });

  it('says that Fairlead calls none of them, and nothing where there are none', async () => {
    const { parts, step } = await useBindings();
    const some = step([NIGHT]);
    await bindQueues(parts, some);
    assert.match(some.lines.join('\n'), /^Registered 1 queue or schedule: .*Fairlead brings none$/m);
    const none = step([]);
    await bindQueues(parts, none);
    assert.doesNotMatch(none.lines.join('\n'), /Registered/);
  });

  it('binds as many as there may be in the place of as many of other names', async () => {
    const { parts, step, bound } = await useBindings();
    const many = (name: string) => Array.from({ length: MOST_BINDINGS }, (_, index) => queue(`${name}-${index}`));
    await bindQueues(parts, step(many('old')));
    await bindQueues(parts, step(many('new')));
    const now = await bound();
    assert.equal(now.length, MOST_BINDINGS);
    assert.ok(now.every((name) => name.startsWith('queue new-')));
  });

  it('removes all when the catalog declares none, and a second attempt changes nothing', async () => {
    const { parts, step, bound } = await useBindings();
    await bindQueues(parts, step([queue('mail'), NIGHT]));
    for (const time of ['first', 'second']) {
      await bindQueues(parts, step([]));
      assert.deepEqual(await bound(), [], time);
    }
  });

  it('leaves another environment and records of another namespace alone', async () => {
    const { parts, step, bound } = await useBindings();
    await bindQueues(parts, step([queue('mail')]));
    const { build } = step([]);
    await parts.builds.create(buildRecord({ id: 'bld_uat', service: 'hello', environment: 'uat' }));
    const inUat = { ...step([queue('mail')]), build: { ...build, buildId: 'bld_uat', environment: 'uat' as const } };
    await bindQueues(parts, inUat);
    const { entries } = parts.serviceRegistry.stores;
    const entry = await entries.find('svc_hello');
    const prod = entry?.environments.prod;
    assert.ok(entry && prod);
    const foreign = { ...queue('foreign'), namespace: 'other-prod', port: 1 };
    const bindings = [...prod.bindings, foreign];
    const environments = { ...entry.environments, prod: { ...prod, bindings } };
    await entries.replace({ ...entry, environments, revision: entry.revision + 1 }, entry.revision);
    await bindQueues(parts, step([]));
    assert.deepEqual(await bound(), ['queue foreign 1']);
    assert.deepEqual(await bound('uat'), ['queue mail 4000']);
  });

  it('removes nothing when the list cannot be read, from its first page or from a later one, and warns', async () => {
    for (const readable of [0, 1]) {
      const { parts, step, bound } = await useBindings();
      await bindQueues(parts, step([queue('mail'), queue('orders')]));
      let pages = 0;
      const serviceRegistry = {
        ...parts.serviceRegistry,
        listBindings: (...[target, page]: Parameters<typeof parts.serviceRegistry.listBindings>) => {
          pages += 1;
          if (pages > readable) return Promise.reject(AWAY);
          return parts.serviceRegistry.listBindings(target, { ...page, limit: 1 });
        },
      };
      const next = step([queue('new')]);
      await bindQueues({ ...parts, serviceRegistry }, next);
      assert.deepEqual(await bound(), ['queue mail 4000', 'queue new 4000', 'queue orders 4000']);
      assert.match(next.warnings.join(), /list of bindings could not be read: none is removed/);
    }
  });

  it('removes nothing when the catalog of a rollback is gone, and warns', async () => {
    const { parts, step, bound } = await useBindings();
    await bindQueues(parts, step([queue('mail')]));
    const rollback = step([]);
    const build = { ...rollback.build, kind: 'rollback', releaseId: 'rel_1' } as const;
    await bindQueues(parts, { ...rollback, build, facts: { releaseId: 'rel_1' } });
    assert.deepEqual(await bound(), ['queue mail 4000']);
    assert.match(rollback.warnings.join(), /keeps the bindings it has/);
  });

  it('goes on where a killed attempt stopped, between any two writes', async () => {
    for (let survived = 0; survived < 6; survived += 1) {
      const { parts, step, bound } = await useBindings();
      await bindQueues(parts, step([queue('old'), queue('older')]));
      let left = survived;
      const orDie = <A extends readonly unknown[], R>(work: (...args: A) => Promise<R>) => {
        return (...args: A): Promise<R> => {
          left -= 1;
          return left < 0 ? Promise.reject(new Error('killed')) : work(...args);
        };
      };
      const { declare, putBinding: put, removeBinding } = parts.serviceRegistry;
      const dying = { declare: orDie(declare), putBinding: orDie(put), removeBinding: orDie(removeBinding) };
      const serviceRegistry = { ...parts.serviceRegistry, ...dying };
      await bindQueues({ ...parts, serviceRegistry }, step([queue('mail'), NIGHT])).catch(() => undefined);
      await bindQueues(parts, step([queue('mail'), NIGHT]));
      assert.deepEqual(await bound(), ['queue mail 4000', 'schedule night 4000'], `after ${survived} writes`);
    }
  });

  it('a build that a newer one has followed prunes nothing of it', async () => {
    const { parts, step, bound } = await useBindings();
    const paused = step([queue('old')]);
    const target = { service: 'hello', environment: 'prod' } as const;
    await parts.builds.giveEpoch(paused.build.buildId, await parts.epochs.next(target));
    await parts.serviceRegistry.declare({ id: 'svc_hello', name: 'hello', org: 'acme', serviceSince: parts.now() });
    const epoch = await parts.epochs.next(target);
    const place = { serviceId: 'svc_hello', environment: 'prod', epoch } as const;
    await parts.serviceRegistry.putBinding(place, { ...queue('new'), port: 4000 });
    await assert.rejects(bindQueues(parts, paused), { code: 'CONFLICT' });
    assert.deepEqual(await bound(), ['queue new 4000']);
  });

  it('a registry that refuses a binding is told, and nothing is removed', async () => {
    const { parts, step, bound } = await useBindings();
    await bindQueues(parts, step([queue('mail')]));
    const serviceRegistry = { ...parts.serviceRegistry, putBinding: () => Promise.reject(AWAY) };
    await assert.rejects(bindQueues({ ...parts, serviceRegistry }, step([queue('new')])), (error) => error === AWAY);
    assert.deepEqual(await bound(), ['queue mail 4000']);
  });
});
