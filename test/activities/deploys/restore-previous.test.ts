import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restorePrevious } from '../../../activities/deploys/restore-previous.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { releaseRecord } from '../../ports/records.ts';
import { recordingContext, workloadSpec } from '../../ports/workload-runtime.ts';
import { healthyProgram } from '../../support/in-memory/image-registry.ts';
import { useDeploy } from './use-deploy.ts';

const IMAGE = `localhost:5050/hello@sha256:${'a'.repeat(64)}`;

const { signal } = new AbortController();
const EARLIER = { at: new Date('2026-01-01T00:00:00Z'), epoch: 1, buildId: 'bld_earlier' };

/** A build whose workload runs, and an earlier release with its own. Null: it was never installed. */
async function installed(given: { earlier: boolean; own: boolean }) {
  const deploy = await useDeploy({ opened: true });
  const { parts, build } = deploy;
  parts.registry.put(IMAGE, healthyProgram);
  const start = (buildId: string, releaseId: string) => {
    const target = { service: build.service, environment: build.environment };
    return parts.runtime.start(workloadSpec(IMAGE, { buildId, releaseId, ...target }), recordingContext());
  };
  await parts.releases.put(releaseRecord({ id: 'rel_earlier', buildId: 'bld_earlier' }));
  const previous = given.earlier ? await start('bld_earlier', 'rel_earlier') : null;
  if (given.earlier) await parts.releases.activate('rel_earlier', EARLIER);
  const own = given.own ? await start(build.buildId, 'rel_own') : null;
  const route = async (workload: typeof own) => {
    if (workload === null) return;
    await parts.edge.route('hello', 'prod', { workloadId: workload.id, address: workload.address }, 1);
  };
  const routed = async () => (await parts.edge.current('hello', 'prod'))?.workloadId ?? null;
  const running = async () => (await parts.runtime.list('hello', 'prod')).map(({ id }) => id);
  const logged = async () => (await parts.log.read(build.buildId, 0, 10)).map(({ text }) => text);
  return { ...deploy, previous, own, route, routed, running, logged };
}

describe('restore-previous, the undo of an installation', () => {
  it('routes back to the workload of the active release and removes the new one', async () => {
    const { parts, build, previous, own, route, routed, running, logged } = await installed({
      earlier: true,
      own: true,
    });
    await route(own);
    await restorePrevious(parts, build, signal);
    assert.equal(await routed(), previous?.id);
    const { serviceId } = releaseRecord({ id: 'rel_earlier' });
    assert.equal((await parts.edge.current('hello', 'prod'))?.serviceId, serviceId);
    assert.deepEqual(await running(), [previous?.id]);
    const url = parts.edge.url('hello', 'prod');
    assert.deepEqual(await logged(), [
      `Removed the new workload. The previous release keeps serving: GET ${url}/health answered 200.`,
    ]);
  });

  it('a second run leaves the same', async () => {
    const { parts, build, previous, own, route, routed, running } = await installed({ earlier: true, own: true });
    await route(own);
    for (const time of ['first', 'second']) {
      await restorePrevious(parts, build, signal);
      assert.equal(await routed(), previous?.id, time);
      assert.deepEqual(await running(), [previous?.id], time);
    }
  });

  it('leaves the route alone that never went to the new workload', async () => {
    const { parts, build, previous, route, routed, running } = await installed({ earlier: true, own: true });
    await route(previous);
    await restorePrevious(parts, build, signal);
    assert.equal(await routed(), previous?.id);
    assert.deepEqual(await running(), [previous?.id]);
  });

  it('without an earlier release the service is routed nowhere', async () => {
    const { parts, build, own, route, routed, running, logged } = await installed({ earlier: false, own: true });
    await route(own);
    await restorePrevious(parts, build, signal);
    assert.equal(await routed(), null);
    assert.deepEqual(await running(), []);
    assert.deepEqual(await logged(), ['Removed the new workload. There is no previous release.']);
  });

  it('does nothing to what serves when the new workload was never started', async () => {
    const { parts, build, previous, route, routed, running } = await installed({ earlier: true, own: false });
    await route(previous);
    await restorePrevious(parts, build, signal);
    assert.equal(await routed(), previous?.id);
    assert.deepEqual(await running(), [previous?.id]);
  });

  it('a route that cannot be set back fails the undo and keeps the new workload, which still serves', async () => {
    const { parts, build, own, route, routed, running } = await installed({ earlier: true, own: true });
    await route(own);
    const edge = { ...parts.edge, route: () => Promise.reject(new Error('disk full')) };
    await assert.rejects(restorePrevious({ ...parts, edge }, build, signal), /disk full/);
    assert.equal(await routed(), own?.id);
    assert.ok((await running()).includes(own?.id ?? ''));
  });

  for (const [system, method] of [
    ['runtime', 'list'],
    ['releases', 'active'],
    ['edge', 'current'],
    ['edge', 'route'],
    ['runtime', 'remove'],
  ] as const) {
    it(`fails where ${system}.${method} fails, with a workload behind the route; the next attempt undoes all`, async () => {
      const { parts, build, previous, own, route, routed, running } = await installed({ earlier: true, own: true });
      await route(own);
      const failing = { ...parts, [system]: { ...parts[system], [method]: () => Promise.reject(new Error('away')) } };
      await assert.rejects(restorePrevious(failing, build, signal), /away/);
      assert.ok((await running()).includes((await routed()) ?? ''), 'what the route leads to still runs');
      await restorePrevious(parts, build, signal);
      assert.equal(await routed(), previous?.id);
      assert.deepEqual(await running(), [previous?.id]);
    });
  }

  it('tells no secret of the service in its failure, which comes into the record of the build', async () => {
    const { parts, build, own, route } = await installed({ earlier: true, own: true });
    await parts.services.upsert(
      { id: build.serviceId, name: 'hello', org: 'acme' },
      { config: { DB_PASSWORD: 'canary-4711' } },
    );
    await route(own);
    const engine = new FairleadError('UNAVAILABLE', 'the engine: canary-4711 refused', { details: ['canary-4711'] });
    const edge = { ...parts.edge, route: () => Promise.reject(engine) };
    await assert.rejects(restorePrevious({ ...parts, edge }, build, signal), (error: unknown) => {
      assert.ok(error instanceof FairleadError);
      assert.deepEqual([error.code, error.message], ['UNAVAILABLE', 'the engine: [REDACTED] refused']);
      assert.deepEqual(error.details, ['[REDACTED]']);
      return true;
    });
  });
});
