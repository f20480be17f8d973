import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { confirmOnce } from '../../../activities/properties/verify-property.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { verifyWorkflowId } from '../../../domain/properties/messages.ts';
import { changedProperty } from '../../../domain/properties/property.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { MINUTE_MS, startVerifications, type Verifications } from './harness.ts';

const PERMISSION = new FairleadError('GOOGLE_PERMISSION', 'Google says no', { system: 'google' });

describe('verifyProperty', { timeout: 300_000 }, () => {
  let run: Verifications;
  let next = 0;
  before(async () => {
    run = await startVerifications();
  });
  beforeEach(() => run.before.clear());
  after(() => run.stop());

  function automatable(delayMs = 0): Promise<string> {
    next += 1;
    return addAutomatable(run, `auto${next}.com`, delayMs);
  }

  it('a record that shows at once: verified, with its console property, its owners and the time of each state', async () => {
    const domain = await automatable();
    run.dns.addRecord(domain, 'v=spf1 -all');
    const { result, outcomes, property } = await run.verify(domain);
    assert.deepEqual(result, { outcome: 'verified', message: null });
    assert.deepEqual(
      outcomes.map(({ domain: of, outcome }) => [of, outcome]),
      [[domain, 'verified']],
    );
    assert.deepEqual(run.dns.textsOf(domain), ['v=spf1 -all', run.search.tokenOf(domain)]);
    assert.ok(run.search.sites.has(`sc-domain:${domain}`));
    assert.ok(run.search.owners.get(domain)?.includes('seo@example.com'));
    assert.deepEqual(
      property?.timeline.map(({ event }) => event),
      ['added', 'token-requested', 'txt-written', 'verifying', 'verified', 'owner-added'],
    );
    const { tokenRequestedAt, txtWrittenAt, verifyingAt, verifiedAt, errorAt, path } = property.verification;
    assert.ok(tokenRequestedAt && txtWrittenAt && verifyingAt && verifiedAt);
    assert.deepEqual([path, errorAt, property.lastError], ['automatic', null, null]);
  });

  for (const minute of [3, 59]) {
    it(`a record that shows after ${minute} minutes: verified then`, async () => {
      const domain = await automatable(minute * MINUTE_MS);
      const { result, minutes } = await run.verify(domain);
      assert.equal(result.outcome, 'verified');
      assert.ok(minutes >= minute && minutes < minute + 6, `${minutes} minutes`);
    });
  }

  it('a record that never shows: in error after 60 minutes, with what was seen instead', async () => {
    const domain = await automatable(90 * MINUTE_MS);
    run.dns.addRecord(domain, 'v=spf1 -all');
    const { result, minutes, property } = await run.verify(domain);
    assert.equal(result.outcome, 'error');
    assert.ok(minutes >= 60 && minutes < 61, `${minutes} minutes`);
    assert.deepEqual([property?.lastError?.source, property?.lastError?.code], ['dns', 'RECORD_NOT_SEEN']);
    assert.match(property?.lastError?.message ?? '', /ns\.provider\.example has "v=spf1 -all"/);
    assert.ok(!run.search.calls.includes(`confirm ${domain}`), 'the search engine is asked for what the DNS shows');
  });

  it('from error a new run begins anew, and verifies', async () => {
    const domain = await automatable(90 * MINUTE_MS);
    const first = await run.verify(domain);
    assert.ok(first.property?.verification.errorAt);
    const { result, property } = await run.verify(domain);
    assert.equal(result.outcome, 'verified');
    assert.deepEqual([property?.lastError, property?.verification.errorAt], [null, null]);
  });

  it('what the search engine does not confirm though the DNS shows it: asked until the budget ends', async () => {
    const domain = await automatable();
    const readTexts = run.search.engine.confirm;
    run.search.engine.confirm = async (asked) =>
      asked === domain ? { confirmed: false, reason: 'its resolver is late' } : readTexts(asked);
    const { minutes, property } = await run.verify(domain);
    run.search.engine.confirm = readTexts;
    assert.ok(minutes >= 60 && minutes < 61);
    assert.deepEqual([property?.lastError?.source, property?.lastError?.code], ['google', 'NOT_CONFIRMED']);
    assert.match(property?.lastError?.message ?? '', /its resolver is late/);
  });

  for (const [title, elsewhere] of [
    ['no zone in an account of ours', undefined],
    ['a zone that the provider does not serve yet', { isActive: false }],
  ] as const) {
    it(`${title}: the manual path, with the text to set, and nothing written`, async () => {
      next += 1;
      const domain = `manual${next}.com`;
      await run.add(domain);
      if (elsewhere !== undefined) run.dns.addZone(domain, elsewhere);
      const written = run.dns.writes();
      const { result, property } = await run.verify(domain);
      assert.equal(result.outcome, 'record-not-seen-yet');
      assert.equal(run.dns.writes(), written);
      const { state, path, token } = property?.verification ?? {};
      assert.deepEqual([state, path, token], ['token-requested', 'manual', run.search.tokenOf(domain)]);
    });
  }

  it('a zone of ours while the domain is delegated elsewhere: the manual path', async () => {
    const domain = await automatable();
    run.dns.delegations.set(domain, ['ns1.other.example', 'ns2.other.example']);
    const { result, property } = await run.verify(domain);
    assert.deepEqual([result.outcome, property?.verification.path], ['record-not-seen-yet', 'manual']);
    assert.deepEqual(run.dns.textsOf(domain), []);
  });

  it('check now: asked once; nothing changes until the person has set the record, and then it is verified', async () => {
    next += 1;
    const domain = `manual${next}.com`;
    await run.add(domain);
    const { property } = await run.verify(domain);
    const { verified, reason } = await run.commands.check(domain);
    assert.deepEqual([verified, reason], [false, 'The necessary verification token could not be found on your site.']);
    assert.deepEqual(await run.deps.properties.find(domain), property);
    assert.equal(run.search.calls.filter((call) => call === `confirm ${domain}`).length, 1);
    run.dns.addRecord(domain, run.search.tokenOf(domain));
    assert.deepEqual(await run.commands.check(domain), { verified: true, reason: null });
    assert.equal((await run.deps.properties.find(domain))?.verification.state, 'verified');
    assert.ok(run.search.sites.has(`sc-domain:${domain}`));
  });

  it('of two requests at once, one begins a run, and the other is told', async () => {
    const domain = await automatable(3 * MINUTE_MS);
    const jobs = [await run.begin([domain]), await run.begin([domain])];
    const asked = await Promise.allSettled(jobs.map((jobId) => run.commands.verify({ domain, jobId })));
    const refused = asked.filter((each) => each.status === 'rejected');
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      ['VERIFY_IN_PROGRESS'],
    );
    await run.env.client.workflow.getHandle(verifyWorkflowId(domain)).result();
    assert.equal((await run.deps.properties.find(domain))?.verification.state, 'verified');
  });

  it('ignored while it runs: the run ends at once, and leaves the Property as it is', async () => {
    const domain = await automatable(90 * MINUTE_MS);
    const jobId = await run.begin([domain]);
    const looked = Promise.withResolvers<void>();
    run.before.set('lookForRecord', async (of) => {
      if (of !== domain) return;
      const property = await run.deps.properties.find(domain);
      if (property === null || property.ignored !== null) return;
      const ignored = { by: 'person', actor: 'usr_ada', reason: null, at: new Date() } as const;
      await run.deps.properties.replace(changedProperty(property, { ignored }, { at: new Date(), event: 'ignored' }));
      looked.resolve();
    });
    await run.commands.verify({ domain, jobId });
    await looked.promise;
    await run.commands.tellIgnored(domain);
    const result = await run.env.client.workflow.getHandle(verifyWorkflowId(domain)).result();
    assert.equal(result.outcome, 'skipped');
    assert.equal(run.journal.filter((line) => line === `lookForRecord ${domain}`).length, 1, 'it looks no more');
    const property = await run.deps.properties.find(domain);
    assert.deepEqual([property?.verification.state, property?.ignored?.by], ['txt-written', 'person']);
  });

  it('what the search engine refuses: in error with its word, at once', async () => {
    const domain = await automatable();
    run.search.faults.set(domain, PERMISSION);
    const { result, property } = await run.verify(domain);
    assert.equal(result.outcome, 'error');
    assert.deepEqual(property?.lastError, { source: 'google', code: 'GOOGLE_PERMISSION', message: 'Google says no' });
    assert.equal(run.search.calls.filter((call) => call.endsWith(` ${domain}`)).length, 1, 'it is asked once');
  });

  it('a search engine that is away for minutes is waited for', async () => {
    const domain = await automatable();
    const away = new FairleadError('UNAVAILABLE', 'Google answers 503', { system: 'google', retryable: true });
    let asked = 0;
    run.before.set('requestToken', async (of) => {
      if (of !== domain) return;
      asked += 1;
      if (asked <= 4) throw away;
    });
    assert.equal((await run.verify(domain)).result.outcome, 'verified');
  });

  it('owners that cannot be added take nothing from the verification, which says so', async () => {
    const domain = await automatable();
    run.before.set('completeVerified', async (of) => {
      if (of === domain) throw PERMISSION;
    });
    const { result, property } = await run.verify(domain);
    assert.equal(property?.verification.state, 'verified');
    assert.match(result.message, /owners could not be added.*Google says no/);
  });

  it('a verified domain is checked, and its DNS is not written', async () => {
    const domain = await automatable();
    await run.verify(domain);
    run.dns.removeRecords(domain);
    const written = run.dns.writes();
    const { result, property } = await run.verify(domain);
    assert.equal(result.outcome, 'already-verified');
    assert.deepEqual([run.dns.writes(), property?.verification.recordSeen], [written, false]);
  });

  it('a verified domain that the search engine cannot be asked about stays verified', async () => {
    const domain = await automatable();
    await run.verify(domain);
    run.before.set('recheckProperty', async () => {
      throw new FairleadError('UNAVAILABLE', 'Google answers 503', { system: 'google', retryable: true });
    });
    const { result, property } = await run.verify(domain);
    assert.deepEqual([result.outcome, result.message], ['error', 'Google answers 503']);
    assert.deepEqual([property?.verification.state, property?.lastError], ['verified', null]);
  });

  it('a domain that becomes verified while a run waits for its record stays so, and the run ends with it', async () => {
    const domain = await automatable(90 * MINUTE_MS);
    const { confirm } = run.search.engine;
    let looks = 0;
    run.before.set('lookForRecord', async (of) => {
      looks += of === domain ? 1 : 0;
      if (of !== domain || looks !== 3) return;
      run.search.owners.set(domain, []);
      run.search.engine.confirm = async () => ({ confirmed: true });
      await confirmOnce(run.deps, domain);
      run.search.engine.confirm = confirm;
    });
    const { result, property } = await run.verify(domain);
    assert.deepEqual(
      [result.outcome, property?.verification.state, property?.lastError],
      ['verified', 'verified', null],
    );
    assert.equal(looks, 3);
  });

  it('an unknown domain is skipped', async () => {
    assert.equal((await run.verify('nobody.com')).result.outcome, 'skipped');
  });

  it('a run without an account at the search engine ends in error, which says what to set', async () => {
    const domain = await automatable();
    const notConfigured = new FairleadError('GOOGLE_NOT_CONFIGURED', 'set GOOGLE_APPLICATION_CREDENTIALS');
    run.search.faults.set(domain, notConfigured);
    const { property } = await run.verify(domain);
    assert.deepEqual([property?.lastError?.code, property?.lastError?.source], ['GOOGLE_NOT_CONFIGURED', 'platform']);
    await waitUntil('nothing runs', async () => !(await run.commands.isUnderWay(verifyWorkflowId(domain))));
  });
});

describe('verifyProperty, when all workers stop', { timeout: 300_000 }, () => {
  let run: Verifications;
  before(async () => {
    run = await startVerifications({}, { restarts: true });
  });
  after(() => run.stop());

  for (const at of ['requestToken', 'placeRecord', 'lookForRecord', 'confirmRecord', 'completeVerified'] as const) {
    it(`all workers stop while ${at} is under way: the next one goes on, and the domain is verified`, async () => {
      const domain = await addAutomatable(run, `${at.toLowerCase()}.com`);
      const reached = Promise.withResolvers<void>();
      let isFirst = true;
      run.before.set(at, async (of) => {
        if (of !== domain || !isFirst) return;
        isFirst = false;
        reached.resolve();
        // Not tried again before the next worker is there: a task that is given to one that stops is lost until its deadline.
        const details = { retryAfterSeconds: 60 };
        throw new FairleadError('UNAVAILABLE', 'the process is gone', { retryable: true, details });
      });
      const job = await run.request(domain);
      await reached.promise;
      await run.restartWorker();
      assert.equal((await run.ended(domain, job)).result.outcome, 'verified');
      assert.deepEqual(run.dns.textsOf(domain), [run.search.tokenOf(domain)]);
    });
  }
});

/** A Property whose zone is in our account, and whose record shows after so long. */
async function addAutomatable(run: Verifications, domain: string, delayMs = 0): Promise<string> {
  await run.add(domain);
  run.dns.addZone(domain);
  run.dns.delaysMs.set(domain, delayMs);
  return domain;
}
