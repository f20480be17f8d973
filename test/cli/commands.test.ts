import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { putServiceBodySchema } from '../../domain/catalog/service-schema.ts';
import { retryBodySchema, rollbackBodySchema } from '../../domain/deploys/schema.ts';
import { runtimeReplySchema } from '../../domain/deploys/workload-state-schema.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli, startCli } from './run-cli.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { AT } from './test-replies.ts';

const URL_OF_HELLO = 'http://hello.localhost:8000';
const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';

describe('the other commands', () => {
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await startTestApi();
    folder = mkdtempSync(join(tmpdir(), 'fairlead-commands-'));
    writeFileSync(join(folder, 'catalog-info.yaml'), 'metadata:\n  name: hello\n');
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    api.requests.length = 0;
    api.environments.length = 0;
    api.answers.clear();
    api.builds.clear();
    api.onBuild = ({ id }) => api.finish(id, { status: 'completed', url: URL_OF_HELLO, finishedAt: AT });
  });

  const run = (...args: string[]): Promise<CliResult> => runCli(api, args, { cwd: folder });
  const bodyOf = (route: string): unknown =>
    JSON.parse(api.requests.find((request) => request.route === route)?.body.toString() ?? 'null');
  const live = (): void => {
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
    api.environments.push({
      environment: 'prod',
      url: URL_OF_HELLO,
      releaseId: 'rel_2',
      buildId: 'bld_1',
      commitSha: COMMIT,
      activatedAt: at,
    });
  };
  const dataOf = ({ code, stdout, stderr }: CliResult) => {
    assert.equal(code, 0, stderr);
    const document = JSON.parse(stdout);
    assert.equal(document.success, true);
    return document.data;
  };

  it('builds lists the newest builds as a table, as JSON and as ids', async () => {
    api.addBuild('bld_1', { status: 'failed', reason: 'superseded', commitSha: COMMIT, startedAt: AT, finishedAt: AT });
    const { code, stdout } = await run('builds');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^BUILD +SERVICE +ENV +STATUS +COMMIT +TOOK +AGE\nbld_1 +hello +prod +superseded +c0ffee0 +0\.0s/,
    );
    assert.equal(dataOf(await run('builds', '--json')).items[0].id, 'bld_1');
    assert.equal((await run('builds', '-q')).stdout, 'bld_1\n');
  });

  it('services show tells how what runs is, and does without it where a builder does not tell', async () => {
    assert.doesNotMatch((await run('services', 'show', 'hello')).stdout, /In prod/);
    const state = {
      ...{ status: 'running', since: '2020-01-01T00:00:00Z', restarts: 2, outOfMemory: false },
      health: { ok: false, status: 503, path: '/health' },
      ...{ memoryBytes: 61 * 1024 ** 2, memoryLimitBytes: 256 * 1024 ** 2, cpuMillis: 12, cpuLimitMillis: 250 },
      measuredAt: '2020-01-01T00:00:00Z',
    };
    const environments = [
      { environment: 'prod', releaseId: 'rel_1', buildId: 'bld_1', state },
      { environment: 'uat', releaseId: 'rel_2', buildId: 'bld_2', state: null },
    ];
    api.answers.set('GET /services/hello/runtime', { status: 200, data: runtimeReplySchema.parse({ environments }) });
    const { stdout } = await run('services', 'show', 'hello');
    assert.match(
      stdout,
      /In prod +running since \d+d ago, \/health answers 503, 2 restarts, 61 of 256 MiB, 0\.012 of 0\.25 CPU, measured/,
    );
    assert.match(stdout, /In uat +not measured yet/);
    assert.equal(dataOf(await run('services', 'show', 'hello', '--json')).runtime[0].state.restarts, 2);
  });

  it('builds asks for one environment only when one is named', async () => {
    await run('builds', 'hello');
    await run('builds', '-e', 'uat', '--status', 'failed');
    const asked = api.requests.map(({ query }) => [
      query.get('service'),
      query.get('environment'),
      query.get('status'),
    ]);
    assert.deepEqual(asked, [
      ['hello', null, null],
      [null, 'uat', 'failed'],
    ]);
  });

  it('logs reads every page of a build log, and finds the newest build of the folder by itself', async () => {
    api.addBuild('bld_1');
    for (let index = 1; index <= 1_200; index++) api.log('bld_1', 'source', `line ${index}`);
    const { code, stdout } = await run('logs');
    assert.equal(code, 0);
    assert.match(stdout, /^03:04:05 source {9}line 1\n/);
    assert.equal(stdout.trimEnd().split('\n').length, 1_200);
    assert.equal(dataOf(await run('logs', 'bld_1', '--json')).items.length, 1_200);
  });

  it('logs -f shows lines as they come and exits with the result of the build', async () => {
    api.addBuild('bld_1');
    const running = startCli(api, ['logs', '-f', 'bld_1']);
    await waitUntil('the stream to be open', () => api.streams() === 1);
    api.log('bld_1', null, 'hello there');
    await waitUntil('the line', () => running.text().includes('hello there'));
    const failure = { code: 'DISK_FULL', message: 'The disk is full.', step: null } as const;
    api.finish('bld_1', { status: 'failed', reason: 'step_failed', failure });
    const { code, stderr } = await running.done;
    assert.equal(code, 1);
    assert.match(stderr, /failed: The disk is full\./);
  });

  it('status shows each environment with address, commit, release, age and last build', async () => {
    live();
    api.addBuild('bld_1', { environment: 'uat', status: 'building' });
    const { stdout } = await run('status');
    assert.match(stdout, /prod +http:\/\/hello\.localhost:8000 +c0ffee0 +rel_2 +3h ago/);
    assert.match(stdout, /uat +not live .* building /);
    const data = dataOf(await run('status', 'hello', '--json'));
    assert.deepEqual([data.service.name, data.lastBuilds[0].id], ['hello', 'bld_1']);
  });

  it('cancel returns only when the build has ended', async () => {
    api.addBuild('bld_1', { status: 'building' });
    const running = startCli(api, ['cancel', 'bld_1']);
    const reads = (): number => api.requests.filter(({ route }) => route === 'GET /builds/bld_1').length;
    await waitUntil('the command to wait for the end', () => reads() >= 2);
    assert.equal(running.child.exitCode, null);
    api.finish('bld_1', { status: 'failed', reason: 'cancelled' });
    const { code, stdout } = await running.done;
    assert.deepEqual([code, stdout], [0, 'Cancelled bld_1\n']);
  });

  it('cancel does not claim a build that completed meanwhile, and exits 6', async () => {
    api.addBuild('bld_1', { status: 'completed', finishedAt: AT });
    const { code, stderr } = await run('cancel', 'bld_1');
    assert.equal(code, 6);
    assert.match(stderr, /ended as completed before it could be cancelled/);
  });

  it('a refusal because of the present state exits 6 with the code of the API', async () => {
    const error = { code: 'BUILD_NOT_RETRYABLE', message: 'bld_1 completed.' };
    api.answers.set('POST /builds/bld_1/retry', { status: 409, error });
    const { code, stdout } = await run('retry', 'bld_1', '--json');
    assert.equal(code, 6);
    assert.deepEqual(JSON.parse(stdout), { success: false, error, exitCode: 6 });
  });

  it('lockfile prints what the install of a build wrote, byte for byte, and puts it into a folder where there is none', async () => {
    const text = '{\n\t"lockfileVersion": 3\n}\n';
    const data = { buildId: 'bld_1', name: 'package-lock.json', text };
    api.answers.set('GET /builds/bld_1/lockfile', { status: 200, data });
    assert.equal((await run('lockfile', 'bld_1')).stdout, text);
    assert.deepEqual(dataOf(await run('lockfile', 'bld_1', '--json')), data);
    const target = mkdtempSync(join(tmpdir(), 'fairlead-lockfile-'));
    const path = join(target, 'package-lock.json');
    try {
      const { code, stdout } = await run('lockfile', 'bld_1', '--write', target);
      assert.deepEqual([code, readFileSync(path, 'utf8')], [0, text]);
      assert.match(stdout, /Wrote .*package-lock\.json\. Commit it/);
      writeFileSync(path, 'mine');
      const again = await run('lockfile', 'bld_1', '--write', target);
      assert.deepEqual([again.code, readFileSync(path, 'utf8')], [6, 'mine']);
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  });

  it('lockfile writes to no path that the builder names', async () => {
    const data = { buildId: 'bld_1', name: '../package-lock.json', text: '' };
    api.answers.set('GET /builds/bld_1/lockfile', { status: 200, data });
    assert.notEqual((await run('lockfile', 'bld_1', '--write')).code, 0);
  });

  it('retry starts at the step given and follows the new build', async () => {
    api.addBuild('bld_1', { status: 'failed', finishedAt: AT });
    const { code, stdout } = await run('retry', 'bld_1', '--from', 'install');
    assert.equal(code, 0);
    assert.equal(retryBodySchema.parse(bodyOf('POST /builds/bld_1/retry')).fromStep, 'install');
    assert.match(stdout, /hello is live/);
  });

  it('retry says so where the folder has newer code than the build', async () => {
    const repository = mkdtempSync(join(tmpdir(), 'fairlead-newer-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    const commitSha = git('rev-parse', 'HEAD').trim();
    api.addBuild('bld_1', { status: 'failed', finishedAt: AT, commitSha });
    const retry = () => runCli(api, ['retry', 'bld_1'], { cwd: repository });
    assert.doesNotMatch((await retry()).stderr, /newer/);
    git('commit', '-q', '--allow-empty', '-m', 'two');
    api.addBuild('bld_1', { status: 'failed', finishedAt: AT, commitSha });
    assert.match(
      (await retry()).stderr,
      /This builds [0-9a-f]{7} again\. This folder has a newer commit: `fairlead deploy`/,
    );
    rmSync(repository, { recursive: true });
  });

  it('rollback installs the release given in the environment given', async () => {
    const { code } = await run('rollback', '--to', 'rel_1', '-e', 'sandbox', '--no-color');
    assert.equal(code, 0);
    const body = rollbackBodySchema.parse(bodyOf('POST /services/hello/rollback'));
    assert.deepEqual(body, { environment: 'sandbox', releaseId: 'rel_1' });
  });

  it('rollback says which stored variables the next deploy would change, and is none the worse without', async () => {
    const pending = [
      { environment: 'prod', releaseId: 'rel_1', added: ['NEW'], changed: ['A', 'B'], removed: [] },
      { environment: 'uat', releaseId: 'rel_7', added: [], changed: [], removed: ['OTHER'] },
    ];
    api.answers.set('GET /services/hello/config', { status: 200, data: { variables: [], pending } });
    const { code, stderr } = await run('rollback');
    assert.equal(code, 0);
    assert.match(stderr, /prod serves with other values: its next deploy adds NEW and changes A, B\.\n/);
    assert.doesNotMatch(stderr, /OTHER/);
    api.answers.set('GET /services/hello/config', { status: 503, error: { code: 'UNAVAILABLE', message: 'Later.' } });
    const without = await run('rollback');
    assert.equal(without.code, 0);
    assert.match(without.stderr, /Stored variables could not be compared/);
  });

  it('releases marks the live one', async () => {
    const { stdout } = await run('releases');
    assert.match(stdout, /rel_2 +c0ffee0 +bld_1 .*live\nrel_1 +c0ffee0 +bld_1 .*ago\n/);
    assert.equal(dataOf(await run('releases', '--json')).items.length, 2);
  });

  it('services lists, shows without secret values, and deletes only with --yes', async () => {
    assert.match((await run('services')).stdout, /hello +platform +upload/);
    assert.match((await run('services', 'show', 'hello')).stdout, /Config +GREETING=hi\nSecret +API_TOKEN=\*{8}/);
    const refused = await run('services', 'delete', 'hello');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /services delete hello --yes/);
    assert.match(refused.stderr, /Databases that it has are kept for DATABASE_GRACE_DAYS .* Then a final backup/);
    assert.ok(!api.requests.some(({ route }) => route.startsWith('DELETE')));
    assert.equal((await run('services', 'delete', 'hello', '--yes')).stdout, 'Deleted hello\n');
    const warnings = ['The site registry keeps what it was told of hello.'];
    api.answers.set('DELETE /services/hello', { status: 200, data: { id: 'svc_1', name: 'hello', warnings } });
    const known = await run('services', 'delete', 'hello', '--yes');
    assert.deepEqual([known.code, known.stdout], [0, 'Deleted hello\n']);
    assert.match(known.stderr, /site registry keeps what it was told of hello/);
    const removing = { id: 'svc_1', name: 'hello', removingSince: AT, workflow: 'service-removal/hello' };
    api.answers.set('DELETE /services/hello', { status: 202, data: removing });
    const slow = await run('services', 'delete', 'hello', '--yes');
    assert.deepEqual([slow.code, slow.stdout], [0, 'hello is being removed, and that goes on by itself.\n']);
    assert.match(slow.stderr, /What it waits for: workflow service-removal\/hello/);
    api.answers.clear();
  });

  it('lists say that there is more than they show', async () => {
    api.addBuild('bld_1');
    for (const [command, path] of [
      ['builds', '/builds'],
      ['services', '/services'],
      ['releases', '/services/hello/releases'],
    ] as const) {
      const { items } = dataOf(await run(command, '--json'));
      api.answers.set(`GET ${path}`, { status: 200, data: { items: items.slice(0, 1), nextCursor: 'next' } });
      assert.match((await run(command, '-n', '1')).stderr, /There are more than 1: `--limit <count>`/, command);
    }
  });

  it('link registers a git address under its own name', async () => {
    const { code, stdout } = await run('link', 'git@git.example:acme/Web_Shop.git', '--branch', 'main');
    assert.equal(code, 0);
    const body = putServiceBodySchema.parse(bodyOf('POST /services'));
    assert.deepEqual(body, { name: 'web-shop', gitUrl: 'git@git.example:acme/Web_Shop.git', branch: 'main' });
    assert.match(stdout, /Linked web-shop/);
  });

  it('open prints the address, and exits 3 where nothing is live', async () => {
    live();
    assert.equal((await run('open')).stdout, `${URL_OF_HELLO}\n`);
    assert.equal(dataOf(await run('open', '--json')).url, URL_OF_HELLO);
    assert.equal((await run('open', '-e', 'uat')).code, 3);
  });

  it('console prints its address, and says how to name one that is not known', async () => {
    const env = { FAIRLEAD_CONSOLE_URL: 'https://console.example/' };
    const { stdout } = await runCli(api, ['console'], { cwd: folder, env });
    assert.equal(stdout, 'https://console.example\n');
    assert.equal(dataOf(await runCli(api, ['console', '--json'], { cwd: folder, env })).url, 'https://console.example');
    const unknown = await run('console');
    assert.equal(unknown.code, 5);
    assert.match(unknown.stderr, /FAIRLEAD_CONSOLE_URL/);
  });

  for (const [group, commands] of [
    ['config', 'list, set'],
    ['grants', 'list, request'],
    ['services', 'list, show'],
    ['registry', 'services, namespaces, routes'],
    ['locker', 'vaults, items'],
    ['monitors', 'list, show'],
    ['incidents', 'list, show'],
    ['alerts', 'list, add'],
    ['subscribers', 'list, export'],
    ['wallet', 'balance, ledger'],
    ['orgs', 'list, use'],
  ] as const) {
    it(`${group}: a word that is none of its commands is refused, naming those`, async () => {
      const { code, stderr } = await run(group, 'shwo');
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(`unknown command 'shwo': it is one of ${commands}`));
      assert.match(stderr, new RegExp(`see fairlead ${group} --help`));
      const typed = await run(group, group === 'registry' ? 'services' : 'nothing', 'more', '--json');
      assert.equal(typed.code, 2);
      assert.equal(JSON.parse(typed.stdout).error.code, 'USAGE');
    });
  }

  it('too many arguments of a default command that is named are told as that', async () => {
    const { code, stderr } = await run('config', 'list', 'more');
    assert.equal(code, 2);
    assert.match(stderr, /too many arguments for 'list'/);
  });

  it('who lacks a role is told how to see theirs, and who gives another', async () => {
    const error = { code: 'FORBIDDEN', message: 'This needs the role member or higher in the org' };
    api.answers.set('GET /services/shop', { status: 403, error });
    const { code, stderr } = await run('services', 'show', 'shop');
    assert.equal(code, 4, stderr);
    assert.match(stderr, /`fairlead whoami`.*`fairlead members add-role <you> member`/);
  });

  it('exits 3 for what does not exist, 4 for a wrong key and 5 without an API', async () => {
    assert.equal((await run('status', 'nobody')).code, 3);
    assert.equal((await run('logs', 'bld_404')).code, 3);
    assert.equal((await run('logs', '-f', 'bld_404')).code, 3);
    assert.equal((await run('cancel')).code, 3);
    const wrong = await runCli(api, ['builds'], { env: { FAIRLEAD_KEY: 'wrong' } });
    assert.equal(wrong.code, 4);
    assert.match(wrong.stderr, /check FAIRLEAD_KEY/);
    const nobody = await runCli({ url: 'http://127.0.0.1:1' }, ['builds']);
    assert.equal(nobody.code, 5);
    assert.match(nobody.stderr, /does not answer.*\n.*npm start/);
  });

  it('the key goes nowhere but into its header, and never along with a redirect', async () => {
    api.answers.set('GET /services', { status: 302, location: '/elsewhere' });
    const { code, stdout, stderr } = await run('services', '--json');
    assert.notEqual(code, 0);
    assert.ok(!api.requests.some(({ route }) => route === 'GET /elsewhere'));
    assert.ok(api.requests.length > 0);
    for (const { headers, query } of api.requests) {
      assert.equal(headers['x-internal-key'], 'test-key-of-the-cli-suite-0123456789abcdef');
      assert.doesNotMatch(query.toString(), /test-key/);
    }
    assert.doesNotMatch(stdout + stderr, /test-key-of/);
  });

  it('a reader that stops early is no error', async () => {
    api.addBuild('bld_1');
    for (let index = 1; index <= 5_000; index++) api.log('bld_1', 'source', `line ${index} ${'x'.repeat(80)}`);
    const running = startCli(api, ['logs', 'bld_1']);
    running.child.stdout?.once('data', () => running.child.stdout?.destroy());
    const { code, stderr } = await running.done;
    assert.deepEqual([code, stderr], [0, '']);
  });
});
