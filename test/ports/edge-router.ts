import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EdgeRouter } from '../../domain/deploys/workload-runtime.ts';

/** What a route leads to. */
export type RouteTarget = Parameters<EdgeRouter['route']>[2];

export interface EdgeUnderTest {
  readonly router: EdgeRouter;
  /** A workload that answers `/health` with the commit, and anything else with 503. */
  serve(commit: string): Promise<{ readonly target: RouteTarget; stop(): Promise<void> }>;
}

const never = new AbortController().signal;

/** What every {@link EdgeRouter} guarantees. Names are unique for each test, so one router serves them all. */
export function edgeRouterSuite(under: () => EdgeUnderTest): void {
  const probe = (service: string, path = '/health') => under().router.probe(service, 'prod', path, never);

  describe('EdgeRouter', () => {
    it('the address of a service names it and its environment, whether or not it is routed', () => {
      const { router } = under();
      assert.match(router.url('unrouted', 'sandbox'), /^https?:\/\/unrouted\.sandbox\.[^/]+$/);
      assert.notEqual(router.url('unrouted', 'prod'), router.url('unrouted', 'uat'));
      assert.deepEqual(router.urls('unrouted', 'uat'), [router.url('unrouted', 'uat')]);
      const [first, bare = '', ...more] = router.urls('unrouted', 'prod');
      assert.deepEqual([first, more], [router.url('unrouted', 'prod'), []]);
      assert.equal(bare, first?.replace('unrouted.prod.', 'unrouted.'), 'production answers without its name as well');
    });

    it('a route is what was set last, each service and environment by itself, until it is taken away', async () => {
      const { router, serve } = under();
      const [first, second] = [await serve('1'), await serve('2')];
      assert.equal(await router.current('set', 'prod'), null);
      await router.route('set', 'prod', first.target, 1);
      await router.route('set', 'uat', second.target, 1);
      await router.route('other', 'prod', second.target, 1);
      assert.deepEqual(await router.current('set', 'prod'), first.target);
      await router.route('set', 'prod', second.target, 1);
      await router.route('set', 'prod', second.target, 1);
      assert.deepEqual(await router.current('set', 'prod'), second.target);
      await router.unroute('set', 'prod', 1);
      await router.unroute('set', 'prod', 1);
      assert.equal(await router.current('set', 'prod'), null);
      assert.deepEqual(await router.current('set', 'uat'), second.target);
      assert.deepEqual(await router.current('other', 'prod'), second.target);
    });

    it('a write of an older epoch is refused and changes nothing, also after the route was taken away', async () => {
      const { router, serve } = under();
      const [older, newer] = [await serve('older'), await serve('newer')];
      const refused = { code: 'CONFLICT' };
      await router.route('fenced', 'prod', newer.target, 4);
      await assert.rejects(router.route('fenced', 'prod', older.target, 3), refused);
      await assert.rejects(router.unroute('fenced', 'prod', 2), refused);
      assert.deepEqual(await router.current('fenced', 'prod'), newer.target);
      assert.equal((await probe('fenced')).commit, 'newer');
      await router.unroute('fenced', 'prod', 5);
      await assert.rejects(router.route('fenced', 'prod', older.target, 4), refused);
      assert.equal(await router.current('fenced', 'prod'), null);
      assert.equal((await probe('fenced')).status, 404);
      await router.route('fenced', 'uat', older.target, 1);
      await router.route('fenced', 'prod', older.target, 6);
      assert.equal((await probe('fenced')).commit, 'older');
    });

    it('of writes in 20 epochs at once the newest is in force', async () => {
      const { router, serve } = under();
      const { target } = await serve('epochs');
      const epochs = Array.from({ length: 20 }, (_, index) => index + 1);
      const writes = epochs.map((epoch) =>
        router.route('epochs', 'prod', { ...target, workloadId: `w${epoch}` }, epoch),
      );
      await Promise.allSettled(writes);
      assert.equal((await router.current('epochs', 'prod'))?.workloadId, 'w20');
      assert.equal((await writes.at(-1)) ?? null, null);
    });

    it('of 20 routes set at once one is in force, whole', async () => {
      const { router, serve } = under();
      const { target } = await serve('race');
      const targets = Array.from({ length: 20 }, (_, index) => ({ ...target, workloadId: `w${index}` }));
      await Promise.all(targets.map((each) => router.route('race', 'prod', each, 1)));
      const current = await router.current('race', 'prod');
      assert.ok(targets.some((each) => JSON.stringify(each) === JSON.stringify(current)));
    });

    it('a switch is in force when it returns', async () => {
      const { router, serve } = under();
      for (const commit of ['one', 'two', 'three']) {
        const { target } = await serve(commit);
        await router.route('switched', 'prod', target, 1);
        const { ok, status, commit: reported, summary } = await probe('switched');
        assert.deepEqual({ ok, status, reported }, { ok: true, status: 200, reported: commit });
        assert.equal(summary, `GET ${router.url('switched', 'prod')}/health answered 200`);
      }
    });

    it('no request is lost while the route is switched', async () => {
      const { router, serve } = under();
      const workloads = [await serve('a'), await serve('b')];
      let switches = 0;
      const next = async (): Promise<void> => {
        const target = workloads[switches % 2]?.target;
        assert.ok(target);
        await router.route('busy', 'prod', target, 1);
        switches += 1;
      };
      await next();
      const client = async (): Promise<void> => {
        while (switches < 20) assert.equal((await probe('busy')).ok, true);
      };
      const clients = Array.from({ length: 4 }, client);
      while (switches < 20) {
        await next();
        await probe('busy');
      }
      await Promise.all(clients);
    });

    it('what answers badly, not at all or is not routed is not ok, and the summary says so', async () => {
      const { router, serve } = under();
      const unrouted = await probe('nobody');
      assert.deepEqual([unrouted.ok, unrouted.status, unrouted.commit], [false, 404, null]);
      const workload = await serve('c');
      await router.route('bad', 'prod', workload.target, 1);
      const bad = await probe('bad', '/bad');
      assert.deepEqual([bad.ok, bad.status, bad.commit], [false, 503, null]);
      assert.match(bad.summary, /\/bad answered 503$/);
      await workload.stop();
      const gone = await probe('bad');
      assert.deepEqual([gone.ok, gone.status, gone.commit], [false, 502, null]);
    });

    it('an aborted probe throws the reason', async () => {
      const { router, serve } = under();
      const { target } = await serve('d');
      await router.route('aborted', 'prod', target, 1);
      const signal = AbortSignal.abort(new Error('enough'));
      await assert.rejects(router.probe('aborted', 'prod', '/health', signal), /enough/);
    });

    it('what can be no host name is refused, and leads nowhere', async () => {
      const { router, serve } = under();
      const { target } = await serve('e');
      for (const name of ['', '../up', 'a/b', 'Upper', 'a.b', '-a', 'a'.repeat(64)]) {
        const refused = { code: 'VALIDATION_FAILED' };
        await assert.rejects(router.route(name, 'prod', target, 1), refused, name);
        await assert.rejects(router.current(name, 'prod'), refused, name);
        await assert.rejects(router.unroute(name, 'prod', 1), refused, name);
      }
    });
  });
}
