import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  confirmOnce,
  confirmRecord,
  failVerification,
  placeRecord,
  readToken,
  requestToken,
} from '../../../activities/properties/verify-property.ts';
import { property } from '../../ports/properties/property-store.ts';
import { createPropertiesDeps } from '../../support/properties-deps.ts';

const NOT_SEEN = { source: 'dns', code: 'RECORD_NOT_SEEN', message: 'not seen' };
const { signal } = new AbortController();

describe('the steps of a verification that others are faster than', () => {
  let { deps, dns, search } = createPropertiesDeps();
  let domain = '';
  beforeEach(async () => {
    ({ deps, dns, search } = createPropertiesDeps());
    const one = property();
    domain = one.domain;
    await deps.properties.insert(one);
    dns.addZone(domain);
  });
  const stateNow = async () => (await deps.properties.find(domain))?.verification.state;
  async function verify(jobId: string): Promise<void> {
    assert.equal(await requestToken(deps, { domain, jobId }), 'requested');
    assert.equal(await placeRecord(deps, { domain, jobId }, signal), 'written');
    assert.equal((await confirmRecord(deps, { domain, jobId })).state, 'verified');
  }

  it('a run that ends late does not put a domain in error that a later run verified, or still verifies', async () => {
    const late = { domain, jobId: 'job_1' };
    await requestToken(deps, late);
    await requestToken(deps, { domain, jobId: 'job_2' });
    await failVerification(deps, late, NOT_SEEN);
    assert.equal(await stateNow(), 'token-requested');
    await verify('job_3');
    for (const jobId of ['job_1', 'job_3']) await failVerification(deps, { domain, jobId }, NOT_SEEN);
    assert.equal(await stateNow(), 'verified');
  });

  it('a run that cannot even ask for the text leaves its domain in error, also after an earlier run', async () => {
    await requestToken(deps, { domain, jobId: 'job_1' });
    const without = { ...deps, engine: null };
    const request = { domain, jobId: 'job_2' };
    await assert.rejects(requestToken(without, request), { code: 'GOOGLE_NOT_CONFIGURED' });
    await failVerification(without, request, NOT_SEEN);
    assert.equal(await stateNow(), 'error');
  });

  it('a new run of a domain on the manual path looks anew where its nameservers are', async () => {
    dns.delegations.set(domain, ['ns1.other.example']);
    await requestToken(deps, { domain, jobId: 'job_1' });
    assert.equal(await placeRecord(deps, { domain, jobId: 'job_1' }, signal), 'manual');
    dns.delegations.delete(domain);
    await verify('job_2');
    assert.equal((await deps.properties.find(domain))?.verification.path, 'automatic');
  });

  it('the text of a record is asked for once, however often people read it', async () => {
    for (let times = 0; times < 3; times += 1) assert.equal(await readToken(deps, domain), search.tokenOf(domain));
    assert.deepEqual(search.calls, [`token ${domain}`]);
    await verify('job_1');
  });

  it('a domain that becomes verified while the text is asked for is told as verified, and its DNS is not written', async () => {
    const request = { domain, jobId: 'job_1' };
    await requestToken(deps, request);
    const { requestToken: ask, confirm } = search.engine;
    search.engine.requestToken = async (of) => {
      search.engine.confirm = async () => ({ confirmed: true });
      await confirmOnce(deps, of);
      search.engine.confirm = confirm;
      return ask(of);
    };
    assert.equal(await requestToken(deps, request), 'verified');
    assert.equal(await placeRecord(deps, request, signal), 'verified');
    assert.deepEqual([dns.writes(), await stateNow()], [0, 'verified']);
  });
});
