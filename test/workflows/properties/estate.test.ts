import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { DomainMap } from '../../../domain/properties/domain-map.ts';
import {
  PROPERTY_WORKFLOWS,
  SYNC_WORKFLOW_ID,
  verifyManyWorkflowId,
  verifyWorkflowId,
} from '../../../domain/properties/messages.ts';
import { PROPAGATION_BUDGET_MS } from '../../../domain/properties/verification.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startVerifications, type Verifications } from './harness.ts';

const entry = (domain: string, changes: object = {}) => ({
  ...{ domain, family: null, role: null, ignored: false, reason: null },
  ...changes,
});

describe('the estate', { timeout: 300_000 }, () => {
  let run: Verifications;
  let map: DomainMap = { entries: [], invalid: [] };
  before(async () => {
    run = await startVerifications({ map: { read: async () => map } });
  });
  beforeEach(() => run.before.clear());
  after(() => run.stop());

  const execute = (type: string, workflowId: string, args: unknown[] = []) =>
    run.env.client.workflow.execute(type, { taskQueue: TASK_QUEUE, workflowId, args });

  it('30 domains in bulk: four at a time, five fail, and each has its outcome', async () => {
    const domains = Array.from({ length: 30 }, (_, index) => `bulk${index}.com`);
    const failing = domains.filter((_, index) => index % 6 === 0);
    let [now, most] = [0, 0];
    for (const domain of domains) {
      await run.add(domain);
      run.dns.addZone(domain);
    }
    for (const domain of failing) run.search.faults.set(domain, new FairleadError('GOOGLE_REFUSED', 'no'));
    run.before.set('requestToken', async () => {
      now += 1;
      most = Math.max(most, now);
    });
    run.before.set('recordOutcome', async () => {
      now -= 1;
    });
    const jobId = await run.begin([...domains, 'unknown.com']);
    await run.commands.verifyMany({ jobId, domains: [...domains, 'unknown.com'] });
    await run.env.client.workflow.getHandle(verifyManyWorkflowId(jobId)).result();
    const job = await run.deps.jobs.find(jobId);
    assert.equal(job?.status, 'done');
    const of = (outcome: string) => job.outcomes.filter((one) => one.outcome === outcome).map(({ domain }) => domain);
    assert.deepEqual(of('error').sort(), failing.toSorted());
    assert.equal(of('verified').length, 25);
    assert.deepEqual(of('skipped'), ['unknown.com']);
    assert.ok(most <= 4, `${most} at once`);
  });

  it('a domain that another job verifies is skipped in bulk, and its own run goes on', async () => {
    await run.add('busy.com');
    run.dns.addZone('busy.com');
    const reached = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    run.before.set('placeRecord', async () => {
      reached.resolve();
      await mayGoOn.promise;
    });
    const own = await run.begin(['busy.com']);
    await run.commands.verify({ domain: 'busy.com', jobId: own });
    await reached.promise;
    const bulk = await run.begin(['busy.com']);
    await run.commands.verifyMany({ jobId: bulk, domains: ['busy.com'] });
    await run.env.client.workflow.getHandle(verifyManyWorkflowId(bulk)).result();
    assert.deepEqual(
      (await run.outcomes(bulk)).map(({ outcome }) => outcome),
      ['skipped'],
    );
    mayGoOn.resolve();
    await run.env.client.workflow.getHandle(verifyWorkflowId('busy.com')).result();
    assert.deepEqual(
      (await run.outcomes(own)).map(({ outcome }) => outcome),
      ['verified'],
    );
  });

  it('a run that was terminated is resumed once it is quiet longer than the budget; who waits for a person is not', async () => {
    await run.add('stranded.com');
    run.dns.addZone('stranded.com');
    run.dns.delaysMs.set('stranded.com', 30 * 60_000);
    await run.add('person.com');
    await run.verify('person.com');
    const jobId = await run.begin(['stranded.com']);
    await run.commands.verify({ domain: 'stranded.com', jobId });
    const stranded = run.env.client.workflow.getHandle(verifyWorkflowId('stranded.com'));
    await waitUntil('the run waits between two looks', async () => {
      const { raw } = await stranded.describe();
      return run.journal.includes('lookForRecord stranded.com') && (raw.pendingActivities ?? []).length === 0;
    });
    await stranded.terminate('by an operator');
    // It shows by now: the run that takes it up has nothing to wait for.
    run.dns.delaysMs.set('stranded.com', 0);
    const resume = (id: string) => execute(PROPERTY_WORKFLOWS.resumeVerifications, id);
    assert.deepEqual(await resume('resume/1'), { resumed: 0 }, 'it is not quiet for long yet');
    run.moveClock(PROPAGATION_BUDGET_MS + 60_000);
    assert.deepEqual(await resume('resume/2'), { resumed: 1 });
    await run.env.client.workflow.getHandle(verifyWorkflowId('stranded.com')).result();
    assert.deepEqual(
      (await run.outcomes(jobId)).map(({ outcome }) => outcome),
      ['verified'],
    );
    assert.equal((await run.deps.properties.find('person.com'))?.verification.state, 'token-requested');
  });

  it('a job whose workflow is gone is closed: nobody waits for it', async () => {
    const jobId = await run.begin(['gone.com']);
    await execute(PROPERTY_WORKFLOWS.resumeVerifications, 'resume/3');
    assert.equal((await run.deps.jobs.find(jobId))?.status, 'running');
    run.moveClock(3 * PROPAGATION_BUDGET_MS);
    await execute(PROPERTY_WORKFLOWS.resumeVerifications, 'resume/4');
    assert.deepEqual(
      (await run.outcomes(jobId)).map(({ outcome }) => outcome),
      ['error'],
    );
  });

  it('a re-check after the DNS vanished: still verified as long as the search engine says so, and nothing is written', async () => {
    await run.add('vanished.com');
    run.dns.addZone('vanished.com');
    await run.verify('vanished.com');
    await run.add('lost.com');
    run.dns.addZone('lost.com');
    await run.verify('lost.com');
    run.dns.removeRecords('vanished.com');
    run.search.owners.delete('lost.com');
    const written = run.dns.writes();
    const { lost, failed } = await execute(PROPERTY_WORKFLOWS.recheckProperties, 'recheck/1');
    assert.deepEqual([lost, failed, run.dns.writes()], [1, 0, written]);
    const vanished = await run.deps.properties.find('vanished.com');
    assert.deepEqual([vanished?.verification.state, vanished?.verification.recordSeen], ['verified', false]);
    assert.ok(vanished?.verification.checkedAt);
    const gone = await run.deps.properties.find('lost.com');
    assert.deepEqual([gone?.verification.state, gone?.lastError?.code], ['error', 'VERIFICATION_LOST']);
  });

  it('the map is synced: domains come, change, leave and are ignored, and a second sync changes nothing', async () => {
    map = {
      entries: [entry('new.com', { family: 'cars' }), entry('vanished.com'), entry('sold.com', { ignored: true })],
      invalid: [{ text: 'co.uk', reason: 'is a public suffix' }],
    };
    const first = await run.commands.sync();
    assert.deepEqual(
      { ...first, invalid: first.invalid.length },
      { added: 2, changed: 1, unchanged: 0, left: 0, ignored: 1, invalid: 1 },
    );
    const again = await run.commands.sync();
    assert.deepEqual([again.added, again.changed, again.unchanged, again.left], [0, 0, 3, 0]);
    map = { entries: [entry('vanished.com'), entry('sold.com')], invalid: [] };
    const third = await run.commands.sync();
    assert.deepEqual([third.changed, third.left], [1, 1]);
    const left = await run.deps.properties.find('new.com');
    assert.deepEqual([left?.family, left?.map?.leftAt === null], ['cars', false], 'kept, and marked');
    assert.equal((await run.deps.properties.find('sold.com'))?.ignored, null, 'the map takes back its own word');
    assert.equal((await run.deps.properties.find('vanished.com'))?.zone.automatable, true);
    assert.equal((await run.deps.properties.find('sold.com'))?.zone.automatable, false);
  });

  it('one sync at a time, whoever asks: by hand it is refused, and the daily one leaves it to the other', async () => {
    const reached = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    run.before.set('syncDomainMap', async () => {
      reached.resolve();
      await mayGoOn.promise;
    });
    const first = run.commands.sync();
    await reached.promise;
    await assert.rejects(run.commands.sync(), { code: 'SYNC_IN_PROGRESS' });
    const daily = run.env.client.workflow.start(PROPERTY_WORKFLOWS.syncDaily, {
      ...{ taskQueue: TASK_QUEUE, workflowId: 'daily/1' },
    });
    assert.equal(await (await daily).result(), null);
    mayGoOn.resolve();
    await first;
    assert.equal(await run.commands.isUnderWay(SYNC_WORKFLOW_ID), false);
    assert.ok(await execute(PROPERTY_WORKFLOWS.syncDaily, 'daily/2'));
  });

  it('a map that cannot be read changes nothing, and says why', async () => {
    const count = (await run.deps.properties.list({}, { limit: 1, offset: 0 })).total;
    run.before.set('syncDomainMap', async () => {
      throw new FairleadError('DOMAIN_MAP_UNREADABLE', 'The domain map has no domain; nothing was changed');
    });
    await assert.rejects(run.commands.sync(), { code: 'DOMAIN_MAP_UNREADABLE', message: /has no domain/ });
    assert.equal((await run.deps.properties.list({}, { limit: 1, offset: 0 })).total, count);
  });

  it('a map that cannot be read keeps nobody from the daily look at the zones', async () => {
    const looks = () => run.journal.filter((line) => line.startsWith('refreshZones')).length;
    const before = looks();
    run.before.set('syncDomainMap', async () => {
      throw new FairleadError('DOMAIN_MAP_UNREADABLE', 'The domain map has no domain; nothing was changed');
    });
    await assert.rejects(execute(PROPERTY_WORKFLOWS.syncDaily, 'daily/without-map'));
    assert.equal(looks(), before + 1);
  });

  it('a zone list that fails takes nothing from the sync', async () => {
    run.before.set('refreshZones', async () => {
      throw new FairleadError('DNS_PROVIDER_REFUSED', 'no', { system: 'cloudflare' });
    });
    assert.equal((await run.commands.sync()).unchanged, 2);
  });

  it('owners and the record are asked for through the workflow; before the domain is verified Google refuses', async () => {
    assert.deepEqual(await run.commands.readRecord('vanished.com'), { token: run.search.tokenOf('vanished.com') });
    const { owners } = await run.commands.addOwner('vanished.com', 'ada@example.com');
    assert.ok(owners.includes('ada@example.com'));
    assert.ok((await run.deps.properties.find('vanished.com'))?.verification.owners.includes('ada@example.com'));
    await assert.rejects(run.commands.addOwner('new.com', 'ada@example.com'), { code: 'GOOGLE_PERMISSION' });
  });
});
