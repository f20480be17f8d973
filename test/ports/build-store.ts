import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LOCKFILE_LIMIT_BYTES } from '../../domain/deploys/build-lockfile.ts';
import type { BuildEnd, BuildOutline, BuildStore } from '../../domain/deploys/build-store.ts';
import { eachItem } from '../../domain/each-item.ts';
import { buildRecord, stepOf } from './records.ts';

const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;
const completed: BuildEnd = {
  status: 'completed',
  reason: null,
  failure: null,
  supersededBy: null,
  finishedAt: new Date(),
};
const cancelled: BuildEnd = { ...completed, status: 'failed', reason: 'cancelled' };

/** What every {@link BuildStore} guarantees. */
export function buildStoreSuite(store: () => BuildStore): void {
  const step = async (id: string, key: string) => (await store().find(id))?.steps.find((row) => row.key === key);

  describe('BuildStore', () => {
    it('gives back what was created, and a second create changes nothing', async () => {
      const record = buildRecord({ id: 'bld_same' });
      const made = await Promise.all([store().create(record), store().create(record)]);
      made.push(await store().create({ ...record, service: 'other' }));
      assert.deepEqual(made, [record, record, record]);
      assert.deepEqual(await store().find('bld_same'), record);
      assert.equal(await store().find('bld_none'), null);
    });

    it('knows which build a request was attached to, the first time that it was', async () => {
      assert.equal(await store().attachedTo('bld_asked'), null);
      await Promise.all(['bld_asked', 'bld_asked'].map((asked) => store().noteAttached(asked, 'bld_inflight')));
      await store().noteAttached('bld_asked', 'bld_later');
      await store().noteAttached('bld_other', 'bld_later');
      assert.equal(await store().attachedTo('bld_asked'), 'bld_inflight');
      assert.equal(await store().find('bld_asked'), null, 'no build of its own');
    });

    it('keeps the first of many different requests under one key', async () => {
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => store().claimKey('key-1', `request-${index}`)),
      );
      assert.equal(new Set(all).size, 1, all.join());
      assert.equal(await store().claimKey('key-1', 'later'), all[0]);
      assert.equal(await store().claimKey('key-2', 'later'), 'later');
    });

    it('keeps the lockfile of a build, the last one that it is given', async () => {
      assert.equal(await store().lockfileOf('bld_locked'), null);
      const lockfile = { name: 'package-lock.json', text: `{"packages":${JSON.stringify('é'.repeat(50_000))}}` };
      const build = { buildId: 'bld_locked', serviceId: 'svc_locked' };
      await Promise.all([store().keepLockfile(build, lockfile), store().keepLockfile(build, lockfile)]);
      assert.deepEqual(await store().lockfileOf('bld_locked'), lockfile);
      const later = { name: 'yarn.lock', text: '' };
      await store().keepLockfile(build, later);
      assert.deepEqual(await store().lockfileOf('bld_locked'), later);
      assert.equal(await store().lockfileOf('bld_other'), null);
    });

    it('keeps no lockfile that it could not give again, by its bytes', async () => {
      const build = { buildId: 'bld_large', serviceId: 'svc_large' };
      const largest = { name: 'yarn.lock', text: 'é'.repeat(LOCKFILE_LIMIT_BYTES / 2) };
      await store().keepLockfile(build, largest);
      await assert.rejects(store().keepLockfile(build, { ...largest, text: `${largest.text}x` }), {
        code: 'PAYLOAD_TOO_LARGE',
      });
      assert.equal((await store().lockfileOf('bld_large'))?.text.length, largest.text.length);
    });

    it('removes the lockfiles of a service, and of no other', async () => {
      const lockfile = { name: 'yarn.lock', text: '# yarn lockfile v1' };
      const builds = ['bld_gone_1', 'bld_gone_2', 'bld_stays'];
      for (const buildId of builds) {
        await store().keepLockfile(
          { buildId, serviceId: buildId === 'bld_stays' ? 'svc_stays' : 'svc_gone' },
          lockfile,
        );
      }
      for (let times = 0; times < 2; times += 1) await store().removeLockfiles('svc_gone');
      const left = await Promise.all(builds.map((id) => store().lockfileOf(id)));
      assert.deepEqual(left, [null, null, lockfile]);
    });

    it('ends a build of which no step has begun, and none that is at work', async () => {
      for (const id of ['bld_unbegun', 'bld_begun']) await store().create(buildRecord({ id }));
      await store().markStep('bld_begun', stepOf('source'), { state: 'running', startedAt: new Date() });
      assert.equal(await store().finishUnbegun('bld_begun', cancelled), false);
      assert.equal(await store().stateOf('bld_begun'), 'open');
      assert.equal(await store().finishUnbegun('bld_unbegun', cancelled), true);
      assert.equal(await store().finishUnbegun('bld_unbegun', cancelled), false);
      assert.equal((await store().find('bld_unbegun'))?.reason, 'cancelled');
    });

    it('keeps what an open build waits for, until it goes on or ends', async () => {
      const wait = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') };
      const blockedGrants = [{ id: 'sgr_1', state: 'pending' }];
      const kept = async () => {
        const record = await store().find('bld_wait');
        return [record?.waiting, record?.blockedGrants];
      };
      await store().create(buildRecord({ id: 'bld_wait' }));
      assert.equal(await store().setWaiting('bld_wait', { ...wait, blockedGrants }), true);
      assert.deepEqual(await kept(), [wait, blockedGrants]);
      assert.equal(await store().setWaiting('bld_wait', null), true);
      assert.deepEqual(await kept(), [null, []]);
      await store().setWaiting('bld_wait', { ...wait, blockedGrants });
      // What somebody read before the step began anew is not so any more.
      const stepKey = 'scope-grants';
      const attempt = (number: number) =>
        store().markStep('bld_wait', stepOf(stepKey), { state: 'running', attempt: number }, { attempt: number });
      await attempt(1);
      const first = { key: stepKey, attempt: 1 };
      assert.equal(await store().setWaiting('bld_wait', null, first), true);
      await attempt(2);
      assert.equal(await store().setWaiting('bld_wait', { ...wait, blockedGrants }, first), false);
      assert.deepEqual(await kept(), [null, []]);
      assert.equal(await store().setWaiting('bld_wait', { ...wait, blockedGrants }, { ...first, attempt: 2 }), true);
      await store().finish('bld_wait', cancelled);
      assert.deepEqual(await kept(), [null, blockedGrants]);
      assert.equal(await store().setWaiting('bld_wait', { ...wait, blockedGrants: [] }), false);
      assert.deepEqual(await kept(), [null, blockedGrants]);
      await assert.rejects(store().setWaiting('bld_nowhere', null), code('BUILD_NOT_FOUND'));
    });

    it('moves the status forward with the steps and never backward', async () => {
      await store().create(buildRecord({ id: 'bld_fwd' }));
      const startedAt = new Date('2026-01-01T00:01:00Z');
      await store().markStep('bld_fwd', stepOf('source'), { state: 'running', startedAt, attempt: 1 });
      assert.equal((await store().find('bld_fwd'))?.status, 'cloning');
      await store().markStep('bld_fwd', stepOf('image-push'), { state: 'running' });
      await store().markStep('bld_fwd', stepOf('source'), { state: 'completed', finishedAt: new Date() });
      await store().markStep('bld_fwd', stepOf('monitor'), { state: 'skipped', reason: 'none' });
      const record = await store().find('bld_fwd');
      assert.equal(record?.status, 'pushing');
      assert.deepEqual(record?.startedAt, startedAt, 'the first step that ran is the start');
      assert.equal((await step('bld_fwd', 'source'))?.state, 'completed');
      assert.equal((await step('bld_fwd', 'source'))?.attempt, 1);
      assert.equal((await step('bld_fwd', 'monitor'))?.reason, 'none');
    });

    it('takes one terminal write of many, and nothing after it', async () => {
      await store().create(buildRecord({ id: 'bld_end' }));
      await store().markStep('bld_end', stepOf('source'), { state: 'running' });
      await store().addWarnings('bld_end', ['kept']);
      const ends = Array.from({ length: 20 }, (_, index) =>
        store().finish('bld_end', index % 2 ? completed : cancelled),
      );
      const won = (await Promise.all(ends)).filter(Boolean);
      assert.equal(won.length, 1);
      const before = await store().find('bld_end');
      await store().markStep('bld_end', stepOf('catalog'), { state: 'running' });
      await store().setSteps('bld_end', []);
      await store().markStep('bld_end', stepOf('source'), {}, { facts: { commitSha: 'x' }, warnings: ['late'] });
      await store().addWarnings('bld_end', ['late']);
      await store().removeWarnings('bld_end', ['kept'], { key: 'source', attempt: 9 });
      await store().addDiagnostic('bld_end', { step: 'source', title: 'late', lines: [] });
      assert.deepEqual(await store().find('bld_end'), before);
    });

    it('refuses what an attempt of a step writes after a later one began, or after its own end', async () => {
      await store().create(buildRecord({ id: 'bld_late' }));
      const mark = (state: 'running' | 'completed', attempt: number, commitSha?: string) => {
        const facts = commitSha === undefined ? {} : { commitSha };
        return store().markStep('bld_late', stepOf('source'), { state, attempt }, { attempt, facts });
      };
      assert.deepEqual([await mark('running', 1), await mark('running', 2)], [true, true]);
      assert.deepEqual([await mark('running', 1), await mark('completed', 1, 'first')], [false, false]);
      assert.equal(await mark('completed', 2, 'second'), true);
      assert.deepEqual([await mark('running', 2), await mark('completed', 2, 'late')], [false, false]);
      assert.equal((await store().find('bld_late'))?.commitSha, 'second');
      const shown = await step('bld_late', 'source');
      assert.deepEqual([shown?.state, shown?.attempt], ['completed', 2]);
      assert.equal(await mark('running', 3), true, 'a later attempt after a result that was lost');
    });

    it('plans no step anew that has begun or ended since it was read', async () => {
      await store().create(buildRecord({ id: 'bld_replan' }));
      const read = async () => (await store().find('bld_replan'))?.steps ?? [];
      const before = await read();
      const startedAt = new Date();
      await store().markStep('bld_replan', stepOf('source'), { state: 'running', attempt: 1, startedAt });
      await store().setSteps('bld_replan', before);
      assert.equal((await step('bld_replan', 'source'))?.state, 'running', 'it has begun');
      const running = await read();
      await store().markStep('bld_replan', stepOf('source'), { state: 'completed' });
      await store().setSteps('bld_replan', running);
      assert.equal((await step('bld_replan', 'source'))?.state, 'completed', 'it has ended');
      const changed = (await read()).map((one) => (one.key === 'install' ? { ...one, title: 'Anew' } : one));
      await store().setSteps('bld_replan', changed);
      assert.deepEqual(await read(), changed);
    });

    it('gives an open build one epoch, which stays, and none to a build that ended without', async () => {
      await store().create(buildRecord({ id: 'bld_epoch' }));
      const given = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store().giveEpoch('bld_epoch', index + 1)),
      );
      assert.equal(new Set(given).size, 1);
      await store().finish('bld_epoch', completed);
      assert.equal(await store().giveEpoch('bld_epoch', 99), given[0]);
      assert.equal((await store().find('bld_epoch'))?.epoch, given[0]);
      await store().create(buildRecord({ id: 'bld_without' }));
      await store().finish('bld_without', completed);
      await assert.rejects(store().giveEpoch('bld_without', 1), code('CONFLICT'));
      await assert.rejects(store().giveEpoch('bld_none', 1), code('BUILD_NOT_FOUND'));
    });

    it('ends steps that were still running', async () => {
      await store().create(buildRecord({ id: 'bld_run' }));
      await store().markStep('bld_run', stepOf('source'), { state: 'running' });
      assert.equal(await store().finish('bld_run', cancelled), true);
      const source = await step('bld_run', 'source');
      assert.deepEqual([source?.state, source?.finishedAt], ['cancelled', cancelled.finishedAt]);
      await store().create(buildRecord({ id: 'bld_bad' }));
      await store().markStep('bld_bad', stepOf('source'), { state: 'running' });
      const finishedAt = new Date('2026-01-01T00:02:00Z');
      await store().markStep('bld_bad', stepOf('source'), { finishedAt });
      const failure = { code: 'SOURCE_MISSING', message: 'no', step: 'source' } as const;
      await store().finish('bld_bad', { ...cancelled, reason: 'step_failed', failure });
      const bad = await step('bld_bad', 'source');
      assert.deepEqual([bad?.state, bad?.finishedAt], ['failed', finishedAt], 'when the step ended, not the build');
      assert.deepEqual((await store().find('bld_bad'))?.failure, failure);
      await assert.rejects(store().finish('bld_none', completed), code('BUILD_NOT_FOUND'));
    });

    it('keeps what a step found, and backfills the record from its facts', async () => {
      await store().create(buildRecord({ id: 'bld_facts' }));
      const found = { facts: { commitSha: 'abc', workDir: '/w' }, warnings: ['a'] };
      await store().markStep('bld_facts', stepOf('source'), { state: 'completed' }, found);
      await store().markStep(
        'bld_facts',
        stepOf('source'),
        {},
        { facts: { imageTag: 't', healthReportsCommit: false } },
      );
      const record = await store().find('bld_facts');
      assert.deepEqual(record?.facts, { commitSha: 'abc', workDir: '/w', imageTag: 't', healthReportsCommit: false });
      assert.equal(record?.commitSha, 'abc');
      assert.equal(record?.healthReportsCommit, false);
      assert.deepEqual([record?.warnings, record?.status], [['a'], 'cloning']);
      assert.equal((await step('bld_facts', 'source'))?.state, 'completed');
      await store().addWarnings('bld_facts', ['a', 'b']);
      await store().addWarnings('bld_facts', ['b', 'gone', 'gone too']);
      const second = { key: 'source', attempt: 2 };
      await store().removeWarnings('bld_facts', ['gone', 'gone too', 'never there'], second);
      await store().removeWarnings('bld_facts', [], second);
      assert.deepEqual((await store().find('bld_facts'))?.warnings, ['a', 'b']);
      await store().markStep('bld_facts', stepOf('source'), { state: 'running', attempt: 3 }, { attempt: 3 });
      await store().removeWarnings('bld_facts', ['a'], second);
      assert.deepEqual((await store().find('bld_facts'))?.warnings, ['a', 'b'], 'a later attempt works on the step');
      await store().removeWarnings('bld_facts', ['a'], { key: 'source', attempt: 3 });
      assert.deepEqual((await store().find('bld_facts'))?.warnings, ['b']);
    });

    it('keeps a diagnostic once, and what became of the steps that are planned anew', async () => {
      await store().create(buildRecord({ id: 'bld_again' }));
      const diagnostic = { step: 'install', title: 'Last output', lines: ['one', 'two'] } as const;
      await store().addDiagnostic('bld_again', diagnostic);
      await store().addDiagnostic('bld_again', { ...diagnostic, title: 'Other' });
      await store().addDiagnostic('bld_again', diagnostic);
      const titles = (await store().find('bld_again'))?.diagnostics.map(({ title }) => title);
      assert.deepEqual(titles, ['Last output', 'Other']);
      const planned = (await store().find('bld_again'))?.steps.slice(0, 2) ?? [];
      await store().setSteps('bld_again', planned);
      assert.deepEqual((await store().find('bld_again'))?.steps, planned);
    });

    it('no write makes a build that does not exist', async () => {
      const writes = [
        store().setSteps('bld_none', []),
        store().markStep('bld_none', stepOf('source'), { state: 'running' }),
        store().markStep('bld_none', stepOf('source'), { attempt: 2 }, { attempt: 2 }),
        store().markStep('bld_none', stepOf('source'), {}, { facts: { commitSha: 'x' } }),
        store().addWarnings('bld_none', ['a']),
        store().removeWarnings('bld_none', ['a'], { key: 'source', attempt: 1 }),
        store().addDiagnostic('bld_none', { step: 'source', title: 'a', lines: [] }),
      ];
      await Promise.all(writes.map((write) => assert.rejects(write, code('BUILD_NOT_FOUND'))));
      assert.equal(await store().find('bld_none'), null);
    });

    it('lists newest first, by filter, in pages that miss and repeat nothing', async () => {
      for (let index = 0; index < 7; index += 1) {
        // Two share each second, so that the id decides between them.
        const createdAt = new Date(Date.UTC(2026, 1, 1, 0, 0, Math.floor(index / 2)));
        const environment = index === 6 ? 'uat' : 'prod';
        await store().create(buildRecord({ id: `bld_l${index}`, serviceId: 'svc_list', environment, createdAt }));
      }
      const filter = { serviceId: 'svc_list', environment: 'prod' } as const;
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().list(filter, { cursor, limit: 2 });
        seen.push(...page.items.map((build) => build.id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, ['bld_l5', 'bld_l4', 'bld_l3', 'bld_l2', 'bld_l1', 'bld_l0']);
      await store().finish('bld_l0', completed);
      const open = await store().list({ serviceIds: ['svc_list'], open: true }, { cursor: null, limit: 50 });
      assert.equal(open.items.length, 6);
      const completedOnes = await store().list(
        { serviceId: 'svc_list', status: 'completed' },
        { cursor: null, limit: 9 },
      );
      assert.deepEqual(
        completedOnes.items.map(({ id }) => id),
        ['bld_l0'],
      );
      const none = await store().list({ serviceIds: [] }, { cursor: null, limit: 50 });
      assert.equal(none.items.length, 0);
      await assert.rejects(store().list({}, { cursor: 'WyJhIl0', limit: 2 }), code('VALIDATION_FAILED'));
    });

    it('lists all that is open, in outlines, however many there are', async () => {
      const ids = Array.from({ length: 250 }, (_, index) => `bld_o${String(index).padStart(3, '0')}`);
      const createdAt = (index: number) => new Date(Date.UTC(2026, 2, 1, 0, index));
      await Promise.all(
        ids.map((id, index) => store().create(buildRecord({ id, service: 'opened', createdAt: createdAt(index) }))),
      );
      await store().create(buildRecord({ id: 'bld_oother', service: 'opened', environment: 'uat' }));
      await Promise.all([0, 100, 249].map((index) => store().finish(ids[index] ?? '', completed)));
      const open = ids.filter((_, index) => ![0, 100, 249].includes(index)).toReversed();
      const seen: BuildOutline[] = [];
      const target = { service: 'opened', environment: 'prod' } as const;
      for await (const outline of eachItem((page) => store().listOpen(target, page))) seen.push(outline);
      assert.deepEqual(
        seen.map(({ id }) => id),
        open,
      );
      const everywhere: string[] = [];
      for await (const { id } of eachItem((page) => store().listOpen(null, page))) everywhere.push(id);
      assert.ok([...open, 'bld_oother'].every((id) => everywhere.includes(id)));
      assert.ok(!everywhere.includes('bld_o100'));
    });

    it('answers of one build whether it is open, and which one of a service and environment is the newest', async () => {
      const facts = { serviceId: 'svc_q', service: 'asked', environment: 'uat', releaseId: null } as const;
      const images = { imageTag: 'asked:2', imageDigest: 'asked@sha256:2' };
      const source = { kind: 'archive', archiveId: 'arc_asked', sha256: '0' } as const;
      await store().create(buildRecord({ ...facts, id: 'bld_q1', createdAt: new Date(1_000), source }));
      await store().create(buildRecord({ ...facts, ...images, id: 'bld_q2', createdAt: new Date(2_000) }));
      await store().create(buildRecord({ id: 'bld_q3', service: 'asked', createdAt: new Date(3_000) }));
      const newest = { id: 'bld_q2', ...facts, ...images, createdAt: new Date(2_000) };
      assert.deepEqual(await store().newest({ service: 'asked', environment: 'uat' }), newest);
      assert.equal(await store().newest({ service: 'asked', environment: 'sandbox' }), null);
      assert.equal(await store().stateOf('bld_q1'), 'open');
      assert.equal(await store().needsArchive('arc_asked'), true);
      const wait = { since: new Date(1_000), until: new Date(2_000), blockedGrants: [] };
      await store().setWaiting('bld_q1', wait);
      assert.equal(await store().needsArchive('arc_asked'), false, 'its image is built');
      await store().setWaiting('bld_q1', null);
      assert.equal(await store().needsArchive('arc_asked'), true);
      await store().finish('bld_q1', cancelled);
      assert.equal(await store().stateOf('bld_q1'), 'ended');
      assert.equal(await store().needsArchive('arc_asked'), false);
      assert.equal(await store().stateOf('bld_none'), null);
      const statuses = await store().statusesOf(['bld_q1', 'bld_none', 'bld_q2']);
      assert.deepEqual(statuses.get('bld_q1'), { status: 'failed', reason: 'cancelled' });
      assert.deepEqual(statuses.get('bld_q2'), { status: 'queued', reason: null });
      assert.equal(statuses.size, 2);
      assert.equal((await store().statusesOf([])).size, 0);
    });
  });
}
