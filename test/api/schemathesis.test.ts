import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { property } from '../ports/properties/property-store.ts';
import { pullRun } from '../ports/search-pulls/records.ts';
import { runSchemathesis, schemathesisMissing } from '../support/run-schemathesis.ts';
import { ROOT, startSiteRegistry, type TestSiteRegistry } from '../support/start-site-registry.ts';

const TITLE = 'the document of the site registry, as Schemathesis reads it';

/** No 5xx, and no answer that `GET /openapi.json` does not have. */
describe(TITLE, { skip: await schemathesisMissing(), timeout: 590_000 }, () => {
  let site: TestSiteRegistry;
  before(async () => {
    site = await startSiteRegistry();
    // The domain that the document gives as an example: what is sent for it reaches the handlers.
    const bare = property({ domain: 'example.com' });
    await site.properties.insert({ ...bare, verification: { ...bare.verification, state: 'verified' } });
    await site.pullRuns.insert(pullRun({ id: 'spr_example' }));
  });
  after(() => site?.stop());

  it('holds for whatever a super admin sends, for domains that are made up', async () => {
    await runSchemathesis({ address: site.address, headers: ROOT });
  });

  it('holds for a domain and a job that are there', async () => {
    const parameters = { 'path.domain': 'example.com', 'path.id': 'spr_example' };
    await runSchemathesis({ address: site.address, headers: ROOT, parameters });
  });

  it('holds for callers who are let in nowhere', async () => {
    await runSchemathesis({ address: site.address, headers: { 'x-test-user': 'member' }, phases: ['fuzzing'] });
  });

  it('would be found broken, were an answer not in the document', async () => {
    const broken = await startSiteRegistry({
      pullRuns: { ...site.pullRuns, find: () => Promise.reject(new TypeError('a bug')) },
    });
    try {
      const run = runSchemathesis({ address: broken.address, headers: ROOT, paths: ['/api/jobs/{id}'] });
      await assert.rejects(run, /Server error/);
    } finally {
      await broken.stop();
    }
  });
});
