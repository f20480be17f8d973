import assert from 'node:assert/strict';
import test from 'node:test';
import { api, completed, ended, logText, trigger, visit } from './harness.ts';
import { sampleService } from './sample-service.ts';

const TESTS = (commit: string) => `  tests:
    - { name: home, path: /, expectBodyContains: '"commit"' }
    - { name: right, path: /, expectBodyContains: ${JSON.stringify(commit)} }
`;
const commitOf = async (service: string) => JSON.parse((await visit(service)).body).commit as string;

test('a release that fails a test stays and serves, its build fails, and one that passes follows it', async () => {
  await using app = await sampleService('gated', { spec: TESTS('commit') });
  const first = await completed((await trigger(app.name)).buildId);
  assert.equal(first.steps.find(({ key }) => key === 'gated-tests')?.state, 'completed');
  assert.match(await logText(first.id), /passed {2}home: GET \/ answered 200\n[^\n]*right[^\n]*\n2 tests passed/);

  await app.commit({ spec: TESTS('never there') });
  const failed = await ended((await trigger(app.name)).buildId);
  assert.deepEqual(
    [failed.status, failed.failure?.code, failed.failure?.step],
    ['failed', 'TESTS_FAILED', 'gated-tests'],
  );
  assert.match(failed.failure?.message ?? '', /1 of 2 tests failed: right: GET \/ answered 200 without the expected/);
  assert.equal(await commitOf(app.name), failed.commitSha, 'the release that failed serves');
  assert.match(await logText(failed.id), /The new release was registered already and stays/);

  const { data } = await api<{ buildId: string }>('POST', `/services/${app.name}/rollback`, { environment: 'prod' });
  await completed(data.buildId);
  assert.equal(await commitOf(app.name), first.commitSha);

  await app.commit({ spec: TESTS('commit') });
  const last = await completed((await trigger(app.name)).buildId);
  assert.equal(await commitOf(app.name), last.commitSha);
  // Without a CHANGELOG.md: the commit that failed was never published, so it is new as well.
  assert.match(await logText(first.id), /Newest commits: 2\n[\s\S]*Published what is new/);
  const since = `Commits since ${first.commitSha?.slice(0, 7)}: 2`;
  assert.match(await logText(last.id), new RegExp(`${since}\\n[\\s\\S]*Published what is new`));
});
