import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BuildEnd } from '../../../domain/deploys/build-store.ts';
import { STEPS } from '../../../domain/deploys/steps.ts';
import { buildRecord, releaseRecord, stepOf } from '../../ports/records.ts';
import { createInMemoryArchiveStore } from '../../support/in-memory/archive-store.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { type Answer, KEY, startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
  await api.call('POST', '/services', { name: 'hello', gitUrl: 'https://git.example/a/hello.git', branch: 'main' });
  await api.call('POST', '/services', { name: 'uploads' });
});
after(() => api.stop());

const failed: BuildEnd = {
  status: 'failed',
  reason: 'step_failed',
  failure: { code: 'IMAGE_BUILD_FAILED', message: 'npm ci failed', step: 'image-build' },
  supersededBy: null,
  finishedAt: new Date(),
};
const completed: BuildEnd = { ...failed, status: 'completed', reason: null, failure: null };
const helloId = async () => (await api.services.find('hello'))?.id ?? '';

async function failedBuild(id: string): Promise<void> {
  const record = buildRecord({ id, serviceId: await helloId(), facts: { workDir: '/secret/dir' } });
  await api.builds.create(record);
  for (const step of record.steps.slice(
    0,
    record.steps.findIndex(({ key }) => key === 'image-build'),
  )) {
    if (step.state !== 'pending') continue;
    await api.builds.markStep(id, step, { state: 'completed', startedAt: new Date(), finishedAt: new Date() });
  }
  await api.builds.markStep(id, stepOf('image-build'), { state: 'running', startedAt: new Date() });
  await api.builds.markStep(id, { key: 'source', stage: 'cloning' }, {}, { facts: { commitSha: 'c'.repeat(40) } });
  await api.builds.finish(id, failed);
}

it('a trigger answers 202 with the build, and passes on what was asked', async () => {
  const answer = await api.call('POST', '/builds/trigger', { service: 'hello', commit: 'abcdef1' });
  assert.equal(answer.status, 202);
  const request = api.commands.requests.at(-1);
  assert.deepEqual(answer.body.data, {
    buildId: request?.buildId,
    deduplicated: false,
    supersededBuildId: null,
    service: 'hello',
    environment: 'prod',
  });
  assert.deepEqual(request?.source, {
    kind: 'git',
    url: 'https://git.example/a/hello.git',
    branch: 'main',
    commit: 'abcdef1',
  });
  assert.deepEqual([request?.kind, request?.org, request?.requestedBy], ['deploy', 'platform', 'internal']);
  assert.equal(request?.requestId, answer.headers.get('x-request-id'));
});

it('a trigger passes on whether an admin of the platform asked, which no member, no admin of an org and no internal key is', async () => {
  for (const [who, expected] of [
    [{}, undefined],
    [{ 'x-test-user': 'platform/super_admin' }, true],
    [{ 'x-test-user': 'platform/admin' }, undefined],
    [{ 'x-test-user': 'platform/member' }, undefined],
  ] as const) {
    const answer = await api.call('POST', '/builds/trigger', { service: 'hello', environment: 'sandbox' }, who);
    assert.equal(answer.status, 202);
    assert.equal(api.commands.requests.at(-1)?.byPlatformAdmin, expected, JSON.stringify(who));
  }
});

it('a trigger that joins a build in flight says so', async () => {
  const first = await api.call('POST', '/builds/trigger', { service: 'hello', environment: 'uat' });
  const answer = await api.call('POST', '/builds/trigger', { service: 'hello', environment: 'uat' });
  assert.deepEqual(
    [answer.status, answer.body.data.deduplicated, answer.body.data.buildId],
    [202, true, first.body.data.buildId],
  );
});

it('shows the lockfile that the install of a build wrote, also of a build with the image of an earlier one', async () => {
  const lockfile = { name: 'package-lock.json', text: '{"lockfileVersion":3}' };
  const facts = { lockfile: { name: lockfile.name, buildId: 'bld_lock' } };
  for (const id of ['bld_lock', 'bld_reused', 'bld_nolock']) {
    const given = id === 'bld_nolock' ? {} : { facts };
    await api.builds.create(buildRecord({ id, serviceId: await helloId(), ...given }));
  }
  const shown = (id: string, headers = {}) => api.call('GET', `/builds/${id}/lockfile`, undefined, headers);
  const gone = await shown('bld_lock');
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'NOT_FOUND']);
  assert.match(gone.body.error.message, /kept for 90 days/);
  await api.builds.keepLockfile({ buildId: 'bld_lock', serviceId: await helloId() }, lockfile);
  for (const id of ['bld_lock', 'bld_reused']) {
    const { status, body } = await shown(id);
    assert.deepEqual([status, body.data], [200, { buildId: 'bld_lock', ...lockfile }]);
    assert.equal((await api.call('GET', `/builds/${id}`)).body.data.lockfile, 'package-lock.json');
  }
  const none = await shown('bld_nolock');
  assert.deepEqual([none.status, none.body.error.code], [404, 'NOT_FOUND']);
  assert.match(none.body.error.message, /its source has a lockfile, or its install wrote none/);
  assert.equal((await api.call('GET', '/builds/bld_nolock')).body.data.lockfile, null);
  const others = await shown('bld_lock', { 'x-test-user': 'other/admin' });
  assert.deepEqual([others.status, others.body.error.code], [404, 'BUILD_NOT_FOUND']);
  assert.equal((await shown('bld_lock', { 'x-test-user': 'platform/viewer' })).status, 200);
});

it('waits for grants where that is asked for: a day, or the time named within its bounds', async () => {
  const trigger = async (fields: object) => {
    const { status, body } = await api.call('POST', '/builds/trigger', {
      service: 'hello',
      branch: 'waits',
      ...fields,
    });
    return [status, status === 202 ? api.commands.requests.at(-1)?.waitForGrantsSeconds : body.error.details[0].field];
  };
  assert.deepEqual(await trigger({}), [202, undefined]);
  assert.deepEqual(await trigger({ waitForGrants: false }), [202, undefined]);
  assert.deepEqual(await trigger({ waitForGrants: true }), [202, 86_400]);
  assert.deepEqual(await trigger({ waitForGrants: true, waitForGrantsSeconds: 60 }), [202, 60]);
  assert.deepEqual(await trigger({ waitForGrants: true, waitForGrantsSeconds: 604_800 }), [202, 604_800]);
  for (const waitForGrantsSeconds of [59, 604_801, 90.5, 'day', null]) {
    assert.deepEqual(await trigger({ waitForGrants: true, waitForGrantsSeconds }), [400, 'waitForGrantsSeconds']);
  }
  assert.deepEqual(await trigger({ waitForGrantsSeconds: 60 }), [400, 'waitForGrantsSeconds']);
});

it('an upload and a retry wait for grants as a trigger does', async () => {
  const archive = new Uint8Array(gzipSync('waits'));
  assert.equal((await upload('service=uploads&waitForGrants=true&waitForGrantsSeconds=3600', archive)).status, 202);
  assert.equal(api.commands.requests.at(-1)?.waitForGrantsSeconds, 3_600);
  assert.equal((await upload('service=uploads&waitForGrants=maybe', archive)).status, 400);
  assert.equal((await upload('service=uploads&waitForGrantsSeconds=3600', archive)).status, 400);
  await failedBuild('bld_waits');
  const retried = await api.call('POST', '/builds/bld_waits/retry', { waitForGrants: true });
  assert.equal(retried.status, 202);
  assert.equal(api.commands.requests.at(-1)?.waitForGrantsSeconds, 86_400);
});

it('a build says until when it waits for which grants', async () => {
  const since = new Date('2026-01-01T00:00:00Z');
  const until = new Date('2026-01-02T00:00:00Z');
  const blockedGrants = [{ id: 'sgr_1', service: 'notes', state: 'pending', scopes: ['notes:read'] }];
  await api.builds.create(buildRecord({ id: 'bld_waiting', serviceId: await helloId() }));
  await api.builds.setWaiting('bld_waiting', { since, until, blockedGrants });
  const { data } = (await api.call('GET', '/builds/bld_waiting')).body;
  assert.deepEqual(
    [data.waiting, data.blockedGrants],
    [{ since: since.toISOString(), until: until.toISOString() }, blockedGrants],
  );
  await api.builds.finish('bld_waiting', failed);
  assert.equal((await api.call('GET', '/builds/bld_waiting')).body.data.waiting, null);
});

it('a trigger needs a service with a git URL', async () => {
  const missing = await api.call('POST', '/builds/trigger', { service: 'nothing' });
  assert.deepEqual([missing.status, missing.body.error.message], [404, 'Service not found: nothing']);
  const bare = await api.call('POST', '/builds/trigger', { service: 'uploads' });
  assert.deepEqual([bare.status, bare.body.error.code], [400, 'SOURCE_MISSING']);
  assert.match(bare.body.error.message, /no git URL.*\/builds\/upload/);
});

it('refuses an object where a value belongs, in every field of every route', async () => {
  await failedBuild('bld_typed');
  const bodies: Record<string, readonly string[]> = {
    '/builds/trigger': ['service', 'environment', 'branch', 'commit'],
    '/builds/plan': [
      'environment',
      'service',
      'gitUrl',
      'branch',
      'appPath',
      'catalog',
      'platformConfig',
      'containerFiles',
      'manifest',
      'files',
      'texts',
      'variables',
      'loaded',
      'monorepo',
    ],
    '/builds/bld_typed/retry': ['fromStep'],
    '/services/hello/rollback': ['environment', 'releaseId'],
    '/builds/bld_typed/cancel': ['anything'],
  };
  const asked = api.commands.requests.length;
  for (const [path, fields] of Object.entries(bodies)) {
    for (const field of fields) {
      const answer = await api.call('POST', path, {
        ...(path.endsWith('trigger') ? { service: 'hello' } : {}),
        [field]: { $gt: '' },
      });
      assert.equal(answer.status, 400, `${path} ${field}`);
      assert.equal(answer.body.error.code, 'VALIDATION_FAILED', `${path} ${field}`);
    }
  }
  for (const query of ['service[$gt]=', 'environment=x', 'status=done', 'status=failed&status=queued', 'cursor=e30']) {
    assert.equal((await api.call('GET', `/builds?${query}`)).status, 400, query);
  }
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=2001', 'after[$gt]=1']) {
    assert.equal((await api.call('GET', `/builds/bld_typed/logs?${query}`)).status, 400, query);
  }
  for (const commit of ['ABCDEF1', 'abc', 'z'.repeat(40), '--upload-pack=x']) {
    assert.equal((await api.call('POST', '/builds/trigger', { service: 'hello', commit })).status, 400, commit);
  }
  const odd = await api.call('POST', '/builds/trigger', { service: 'hello', branch: '--upload-pack=x' });
  assert.deepEqual([odd.status, odd.body.error.code], [400, 'SOURCE_REFUSED']);
  assert.equal(api.commands.requests.length, asked, 'nothing reached the workflows');
});

it('every route that is not public answers 401 without a key', async () => {
  const { body } = await api.call('GET', '/openapi.json');
  for (const [path, methods] of Object.entries(body.paths as Record<string, Record<string, unknown>>)) {
    if (['/health', '/health/live', '/schemas/catalog.json'].includes(path)) continue;
    for (const method of Object.keys(methods)) {
      const response = await fetch(api.address + path.replace('{id}', 'x'), { method: method.toUpperCase() });
      assert.equal(response.status, 401, `${method} ${path}`);
      await response.arrayBuffer();
    }
  }
});

async function upload(query: string, content: Uint8Array<ArrayBuffer>, type = 'application/gzip') {
  const response = await fetch(`${api.address}/builds/upload?${query}`, {
    method: 'POST',
    headers: { 'x-internal-key': KEY, 'content-type': type },
    body: content,
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

it('an upload is stored and built from', async () => {
  const archive = new Uint8Array(gzipSync(Buffer.alloc(2_000, 1)));
  const { status, body } = await upload('service=uploads&environment=sandbox', archive);
  assert.equal(status, 202);
  assert.equal(body.data.sizeBytes, archive.length);
  assert.match(body.data.sha256, /^[0-9a-f]{64}$/);
  const { source, environment } = api.commands.requests.at(-1) ?? {};
  assert.equal(environment, 'sandbox');
  assert.deepEqual(source?.kind === 'archive' ? source.sha256 : null, body.data.sha256);
});

it('an upload of an org at its quota is refused, and one of another org is not', async () => {
  const archives = createInMemoryArchiveStore({ now: () => new Date(), quota: { bytes: 1_000_000, archives: 1 } });
  const bounded = await startApi(null, null, { ...createInMemoryBuilderParts(), archives });
  try {
    const upload = (org: string) =>
      fetch(`${bounded.address}/builds/upload?service=of-${org}`, {
        method: 'POST',
        headers: { 'x-test-user': `${org}/member`, 'content-type': 'application/gzip' },
        body: new Uint8Array(gzipSync('x')),
      });
    for (const org of ['acme', 'other']) {
      await bounded.call('POST', '/services', { name: `of-${org}` }, { 'x-test-user': `${org}/member` });
    }
    assert.equal((await upload('acme')).status, 202);
    const refused = await upload('acme');
    const { error } = (await refused.json()) as Answer['body'];
    assert.deepEqual([refused.status, error.code], [429, 'UPLOAD_QUOTA_EXCEEDED']);
    assert.match(error.message, /^Uploads of acme .*; retry when builds have ended, or cancel some$/);
    assert.equal(archives.ids().length, 1);
    assert.equal((await upload('other')).status, 202);
  } finally {
    await bounded.stop();
  }
});

it('an org that is authorized for a service uploads within its own quota, and leaves the owner its own', async () => {
  const archives = createInMemoryArchiveStore({ now: () => new Date(), quota: { bytes: 1_000_000, archives: 1 } });
  const parts = createInMemoryBuilderParts();
  const bounded = await startApi(null, null, { ...parts, archives });
  try {
    await parts.services.upsert({ id: 'svc_shared', name: 'shared', org: 'acme' }, {});
    await parts.authorize('svc_shared', ['helper']);
    const upload = async (headers: Record<string, string>): Promise<number> => {
      const answer = await fetch(`${bounded.address}/builds/upload?service=shared`, {
        method: 'POST',
        headers: { 'content-type': 'application/gzip', ...headers },
        body: new Uint8Array(gzipSync('x')),
      });
      await answer.body?.cancel();
      return answer.status;
    };
    const helper = { 'x-test-user': 'helper/member' };
    assert.deepEqual([await upload(helper), await upload(helper)], [202, 429]);
    assert.equal(await upload({ 'x-test-user': 'acme/member' }), 202);
    assert.equal(await upload({ 'x-internal-key': KEY }), 429, 'the platform uploads for the owner');
  } finally {
    await bounded.stop();
  }
});

it('an upload that is empty, no gzip, mistyped or for nothing is refused', async () => {
  const gzip = new Uint8Array(gzipSync('x'));
  const asked = api.commands.requests.length;
  const empty = await upload('service=uploads', new Uint8Array(0));
  assert.deepEqual([empty.status, empty.body.error.code], [400, 'ARCHIVE_INVALID']);
  const zip = await upload('service=uploads', new Uint8Array(Buffer.from('PK\u0003\u0004rest')));
  assert.match(zip.body.error.message, /zip file/);
  assert.equal((await upload('service=uploads', gzip, 'multipart/form-data')).status, 415);
  assert.equal((await upload('service=nothing', gzip)).status, 404);
  assert.equal((await upload('environment=prod', gzip)).status, 400);
  assert.equal(api.commands.requests.length, asked);
});

it('an upload past 100 MiB answers 413', async () => {
  const { status, body } = await upload('service=uploads', new Uint8Array(100 * 1024 * 1024 + 1));
  assert.deepEqual([status, body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
});

it('plans without running', async () => {
  const catalog = 'metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: 0.6.0\nspec: {}\n';
  const manifest = JSON.stringify({ name: 'hello', dependencies: { express: '5.0.0' } });
  const asked = api.commands.requests.length;
  const answer = await api.call('POST', '/builds/plan', {
    catalog,
    manifest,
    files: ['package.json'],
    service: 'other',
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.data.framework, 'express');
  assert.deepEqual(
    answer.body.data.steps.map((step: { key: string }) => step.key),
    STEPS.map((step) => step.key),
  );
  assert.ok(answer.body.data.warnings.some((line: string) => line.includes('metadata.name is hello, not other')));
  const odd =
    'metadata: {name: a}\nspec: {dependencies: [{service: notes, scopes: ["*"]}], routes: [{path: /, gas: 1}]}';
  const unconventional = (await api.call('POST', '/builds/plan', { catalog: odd })).body.data.warnings.join('\n');
  assert.match(
    unconventional,
    /^This ends a deploy: catalog-info\.yaml:2:23: spec\.dependencies \(notes\): name the scopes/m,
  );
  assert.match(unconventional, /^catalog-info\.yaml:2:\d+: spec\.routes \(\/\): say with charge who pays/m);
  const needing = (config: string) =>
    `metadata: {name: hello}\nspec: {databases: [{type: postgres}], config: [${config}]}`;
  const wanted = needing('{key: TOKEN, secret: true, required: true}, {key: LIMIT, required: true, default: 1}');
  const plannedWith = async (service: string, catalog: string, headers = {}) => {
    const { body } = await api.call('POST', '/builds/plan', { catalog, service }, headers);
    return body.data.warnings.filter((line: string) => line.includes('no value of'));
  };
  assert.deepEqual(await plannedWith('fresh', wanted), [
    'This ends a deploy that does not set it: no value of TOKEN. To set it: `fairlead config set --secret TOKEN --service fresh`',
  ]);
  await api.services.upsert({ id: 'svc_set', name: 'set', org: 'acme' }, { config: { TOKEN: 'x' } });
  assert.deepEqual(await plannedWith('set', wanted), []);
  assert.equal(
    (await plannedWith('set', wanted, { 'x-test-user': 'other/admin' })).length,
    1,
    'nothing is told to others',
  );
  assert.deepEqual(await plannedWith('set', needing('{key: DATABASE_URL, required: true}')), []);
  const broken = await api.call('POST', '/builds/plan', { catalog: 'metadata: [' });
  assert.deepEqual([broken.status, broken.body.error.code], [400, 'CATALOG_INVALID']);
  assert.equal(api.commands.requests.length, asked);
});

it('plans what a build would find, and tells what it would fail with', async () => {
  const manifest = JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '^5.1.0' } });
  const body = { manifest, files: ['package.json', 'compose.yaml'], texts: { '.nvmrc': '22' } };
  const { found, warnings } = (await api.call('POST', '/builds/plan', body)).body.data;
  const values = Object.fromEntries(found.map(({ key, value }: { key: string; value: string }) => [key, value]));
  assert.deepEqual(
    [values.framework, values.start, values.health, values.containerFile],
    ['express ^5.1.0', 'node a.js', '/health', 'generated'],
  );
  assert.match(values.node, /22/);
  assert.ok(warnings.some((line: string) => line.startsWith('compose.yaml is not used')));
  const settings = { variables: { '.env': { names: ['API_SECRET'], secrets: ['API_SECRET'] } } };
  const secret = (await api.call('POST', '/builds/plan', { ...body, ...settings })).body.data;
  assert.ok(secret.warnings.some((line: string) => line.startsWith('.env is not part of the image')));
  const unseen = (await api.call('POST', '/builds/plan', {})).body.data;
  assert.deepEqual(unseen.warnings, [], 'of a source that nobody looked at, nothing is known to be missing');
  const empty = (await api.call('POST', '/builds/plan', { files: ['notes.txt'] })).body.data;
  assert.ok(
    empty.warnings.some((line: string) => line.startsWith('a build of this would fail: There is no Dockerfile')),
  );
  const annotations = '    platform.io/catalog-version: 0.6.0\n    platform.io/dockerfile: ops/Dockerfile\n';
  const named = { ...body, catalog: `metadata:\n  name: hello\n  annotations:\n${annotations}` };
  const missing = (await api.call('POST', '/builds/plan', named)).body.data;
  assert.ok(missing.warnings.some((line: string) => line.startsWith('ops/Dockerfile does not exist')));
});

it('plans a repository of a service that is not here, refuses what cannot be built, and keeps nothing', async () => {
  const body = {
    service: 'not-here',
    gitUrl: 'https://git.example/acme/not-here.git',
    branch: 'main',
    appPath: 'apps/a',
  };
  const planned = await api.call('POST', '/builds/plan', body);
  assert.deepEqual([planned.status, planned.body.data.service], [200, 'not-here']);
  for (const [changes, code] of [
    [{ gitUrl: 'http://git.example/acme/not-here.git' }, 'SOURCE_REFUSED'],
    [{ gitUrl: 'https://ann:canary@git.example/acme/not-here.git' }, 'SOURCE_REFUSED'],
    [{ branch: 'a..b' }, 'SOURCE_REFUSED'],
    [{ appPath: '../other' }, 'VALIDATION_FAILED'],
  ] as const) {
    const refused = await api.call('POST', '/builds/plan', { ...body, ...changes });
    assert.deepEqual([refused.status, refused.body.error.code], [400, code], JSON.stringify(changes));
    assert.doesNotMatch(refused.text, /canary/);
  }
  const folder = { ...body, gitUrl: '/srv/git/not-here.git' };
  const member = await api.call('POST', '/builds/plan', folder, { 'x-test-user': 'acme/member' });
  assert.equal(member.body.error?.code, 'SOURCE_REFUSED', 'only an administrator names a folder of the machine');
  assert.equal(await api.services.find('not-here'), null);
});

it('plans a package of a monorepo by the lockfile of the monorepo', async () => {
  const manifest = JSON.stringify({ name: 'web', scripts: { start: 'node a.js' }, dependencies: { ui: '*' } });
  const texts = { 'package.json': '{}', 'apps/web/package.json': manifest, 'ui/package.json': '{"name":"ui"}' };
  const monorepo = { folder: '', app: 'apps/web', files: ['pnpm-lock.yaml', ...Object.keys(texts)], texts };
  const { found } = (await api.call('POST', '/builds/plan', { manifest, files: ['package.json'], monorepo })).body.data;
  const values = Object.fromEntries(found.map(({ key, value }: { key: string; value: string }) => [key, value]));
  assert.match(values.packageManager, /^pnpm/);
  assert.equal(values.monorepo, 'apps/web');
  assert.match(JSON.stringify(found), /needs ui/);
});

it('shows a build with steps and durations, and never its facts', async () => {
  await failedBuild('bld_shown');
  const answer = await api.call('GET', '/builds/bld_shown');
  const { steps, logs, failure, durationMs } = answer.body.data;
  assert.equal(steps.length, STEPS.length);
  assert.deepEqual([logs, failure.step], ['/builds/bld_shown/logs', 'image-build']);
  assert.ok(durationMs >= 0);
  assert.ok(!answer.text.includes('/secret/dir'));
  assert.equal((await api.call('GET', '/builds/bld_none')).status, 404);
  const list = await api.call('GET', '/builds?service=hello&status=failed&limit=1');
  assert.equal(list.body.data.items.length, 1);
  assert.notEqual(list.body.data.nextCursor, null);
  assert.equal(list.body.data.items[0].steps, undefined);
  assert.equal((await api.call('GET', '/builds?service=nothing')).status, 404);
});

it('builds are seen by the orgs of their service only', async () => {
  await failedBuild('bld_private');
  for (const [method, path] of [
    ['GET', '/builds/bld_private'],
    ['GET', '/builds/bld_private/logs'],
    ['POST', '/builds/bld_private/cancel'],
    ['POST', '/builds/bld_private/retry'],
    ['GET', '/builds?service=hello'],
    ['POST', '/services/hello/rollback'],
  ] as const) {
    const answer = await api.call(method, path, undefined, { 'x-test-user': 'other/admin' });
    assert.equal(answer.status, 404, path);
  }
  const list = await api.call('GET', '/builds', undefined, { 'x-test-user': 'other/admin' });
  assert.deepEqual(list.body.data.items, []);
  const viewer = { 'x-test-user': 'platform/viewer' };
  assert.equal((await api.call('GET', '/builds/bld_private', undefined, viewer)).status, 200);
  assert.equal((await api.call('POST', '/builds/bld_private/retry', {}, viewer)).status, 403);
});

it('cancel answers 200 when ended, 202 while cancelling, 409 when finished', async () => {
  const inFlight = async (environment: 'prod' | 'sandbox') => {
    const { body } = await api.call('POST', '/builds/trigger', { service: 'hello', environment, commit: 'cafe123' });
    const id: string = body.data.buildId;
    await api.builds.create(buildRecord({ id, serviceId: await helloId(), environment }));
    return id;
  };
  const installing = await inFlight('sandbox');
  api.commands.install(installing);
  assert.equal((await api.call('POST', `/builds/${installing}/cancel`)).status, 202);
  const id = await inFlight('prod');
  assert.equal((await api.call('POST', `/builds/${id}/cancel`, {})).status, 200);
  const unknown = await api.call('POST', `/builds/${id}/cancel`);
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'NOT_FOUND'], 'its record is open still');
  assert.match(unknown.body.error.message, /Within a minute/);
  await api.builds.finish(id, completed);
  const finished = await api.call('POST', `/builds/${id}/cancel`);
  assert.deepEqual([finished.status, finished.body.error.code], [409, 'BUILD_FINISHED']);
  const told = api.audit.told().filter(({ eventType }) => eventType === 'build.cancel_requested');
  assert.deepEqual(
    told.map(({ data, metadata }) => [data.buildId, metadata.actor]),
    [installing, id].map((buildId) => [buildId, 'internal']),
    'who asked for it, once each, and nobody for one that had ended',
  );
  assert.equal((await api.call('POST', '/builds/bld_none/cancel')).status, 404);
});

it('a retry goes on from the failed step with the commit that failed', async () => {
  await failedBuild('bld_retry');
  const answer = await api.call('POST', '/builds/bld_retry/retry');
  assert.equal(answer.status, 202);
  const request = api.commands.requests.at(-1);
  assert.equal(request?.kind, 'retry');
  assert.deepEqual([request?.resume?.buildId, request?.resume?.fromStep], ['bld_retry', 'image-build']);
  assert.equal(request?.source.kind === 'git' ? request.source.commit : null, 'c'.repeat(40));
  await api.call('POST', '/builds/bld_retry/retry', { fromStep: 'catalog' });
  assert.equal(api.commands.requests.at(-1)?.resume?.fromStep, 'catalog');
});

it('a retry is refused from unknown and later steps, and of builds that did not fail', async () => {
  await failedBuild('bld_refused');
  const unknown = await api.call('POST', '/builds/bld_refused/retry', { fromStep: 'lunch' });
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, 'STEP_UNKNOWN']);
  assert.match(unknown.body.error.message, /source, catalog, container-file/);
  const later = await api.call('POST', '/builds/bld_refused/retry', { fromStep: 'install' });
  assert.deepEqual([later.status, later.body.error.code], [409, 'BUILD_NOT_RETRYABLE']);
  await api.builds.create(buildRecord({ id: 'bld_open', serviceId: await helloId() }));
  assert.equal((await api.call('POST', '/builds/bld_open/retry', {})).status, 409);
  await api.builds.finish('bld_open', completed);
  assert.equal((await api.call('POST', '/builds/bld_open/retry', {})).status, 409);
});

it('a rollback goes to the release that was active before, or to the one named', async () => {
  const none = await api.call('POST', '/services/hello/rollback', {});
  assert.deepEqual([none.status, none.body.error.code], [404, 'RELEASE_NOT_FOUND']);
  for (const [index, id] of ['rel_h1', 'rel_h2', 'rel_h3'].entries()) {
    const activatedAt = new Date(Date.UTC(2026, 0, 1 + index));
    await api.releases.put(releaseRecord({ id, serviceId: await helloId(), activatedAt }));
  }
  await api.releases.put(releaseRecord({ id: 'rel_never', serviceId: await helloId() }));
  assert.equal((await api.call('POST', '/services/hello/rollback')).status, 202);
  const request = api.commands.requests.at(-1);
  assert.deepEqual([request?.kind, request?.releaseId], ['rollback', 'rel_h2']);
  const tested = { code: 'TESTS_FAILED', message: '1 of 1 tests failed', step: 'gated-tests' };
  const other = { ...tested, code: 'STEP_DEADLINE_EXCEEDED', step: 'monitor' };
  for (const [index, failure] of [other, tested, tested].entries()) {
    const buildId = `bld_gated${index}`;
    const activatedAt = new Date(Date.UTC(2026, 1, 1 + index));
    await api.builds.create(buildRecord({ id: buildId, serviceId: await helloId() }));
    await api.builds.finish(buildId, { ...completed, status: 'failed', failure });
    await api.releases.put(
      releaseRecord({ id: `rel_gated${index}`, buildId, serviceId: await helloId(), activatedAt }),
    );
  }
  assert.equal((await api.call('POST', '/services/hello/rollback')).status, 202);
  assert.equal(api.commands.requests.at(-1)?.releaseId, 'rel_gated0', 'not to one that failed its tests');
  await api.call('POST', '/services/hello/rollback', { releaseId: 'rel_gated1' });
  assert.equal(api.commands.requests.at(-1)?.releaseId, 'rel_gated1', 'but when it is named');
  await api.call('POST', '/services/hello/rollback', { releaseId: 'rel_h1' });
  assert.equal(api.commands.requests.at(-1)?.releaseId, 'rel_h1');
  for (const wrong of [
    { releaseId: 'rel_never' },
    { releaseId: 'rel_h1', environment: 'uat' },
    { releaseId: 'rel_x' },
  ]) {
    assert.equal((await api.call('POST', '/services/hello/rollback', wrong)).status, 404);
  }
});
