import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { putServiceBodySchema } from '../../domain/catalog/service-schema.ts';
import { planBodySchema } from '../../domain/deploys/plan-schema.ts';
import { triggerBodySchema } from '../../domain/deploys/schema.ts';
import { ACTING_STEPS, STEPS } from '../../domain/deploys/steps.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ENTRY, runCli, startCli } from './run-cli.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { AT } from './test-replies.ts';

const LATER = '2026-01-02T03:04:09.200Z';
const FAILURE = { code: 'IMAGE_BUILD_FAILED', message: 'npm ci failed.', step: 'image-build' } as const;

describe('fairlead deploy', () => {
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'fairlead-cli-')), 'Hello');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"@acme/template"}');
    api.requests.length = 0;
    api.answers.clear();
    api.builds.clear();
    api.onBuild = complete;
  });
  afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

  const complete = ({ id }: { id: string }): void => {
    api.step(id, 'image-build', { state: 'running', startedAt: AT });
    api.log(id, 'image-build', 'npm ci\u001b[31m done');
    api.step(id, 'image-build', { state: 'completed', startedAt: AT, finishedAt: LATER });
    api.finish(id, {
      status: 'completed',
      url: 'http://hello.localhost:8000',
      commitSha: 'c0ffee01',
      finishedAt: LATER,
    });
  };
  const fail = ({ id }: { id: string }): void => {
    api.step(id, 'image-build', { state: 'running', startedAt: AT });
    api.log(id, 'image-build', 'npm error missing lockfile', 'error');
    api.step(id, 'image-build', { state: 'failed', startedAt: AT, finishedAt: LATER });
    api.finish(id, { status: 'failed', reason: 'step_failed', failure: FAILURE });
  };
  const body = (route: string): unknown => {
    const seen = api.requests.find((request) => request.route === route);
    assert.ok(seen !== undefined, `${route} was not called`);
    return JSON.parse(seen.body.toString());
  };

  it('uploads a folder, shows steps with durations and ends with the live address', async () => {
    const { code, stdout, stderr } = await runCli(api, ['deploy', folder]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /✓ Build image {2}4\.2s/);
    assert.match(stdout, / {4}npm ci done/);
    const skipped = STEPS.length - ACTING_STEPS.length;
    assert.match(stdout, new RegExp(` {4}npm ci done\\n✓ Build image {2}4\\.2s\\n– ${skipped} steps not needed`));
    assert.match(stdout, /hello is live in prod, after 4\.2s\n {2}http:\/\/hello\.localhost:8000\n/);
    assert.match(stderr, /Build bld_1 accepted/);
    assert.equal(putServiceBodySchema.parse(body('POST /services')).name, 'hello');
  });

  it('does not deploy the checkout of Fairlead when no folder was named there', async () => {
    const { code, stderr } = await runCli(api, ['deploy'], { cwd: dirname(dirname(ENTRY)) });
    assert.equal(code, 2);
    assert.match(stderr, /is Fairlead itself\.\nName the folder of your service: `fairlead deploy <folder>`/);
    assert.deepEqual(api.requests, []);
  });

  it('says how to find a service when the name is unknown', async () => {
    const error = { code: 'SERVICE_NOT_FOUND', message: 'Service not found' };
    api.answers.set('GET /services/nothing', { status: 404, error });
    const { code, stderr } = await runCli(api, ['services', 'show', 'nothing']);
    assert.equal(code, 3);
    assert.match(stderr, /Service not found\nList yours: `fairlead services`/);
  });

  it('writes no control codes without a terminal, even when the build output contains some', async () => {
    const { stdout, stderr } = await runCli(api, ['deploy', folder]);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u);
  });

  it('explains a failed build with step, code, message, log and next commands, and exits 1', async () => {
    api.onBuild = fail;
    const { code, stdout } = await runCli(api, ['deploy', folder]);
    assert.equal(code, 1);
    assert.match(stdout, /✗ hello failed at “Build image” {2}IMAGE_BUILD_FAILED\n {2}npm ci failed\./);
    assert.match(stdout, /npm error missing lockfile/);
    assert.match(stdout, /fairlead logs bld_1 · change the source or its variables, then fairlead deploy/);
  });

  it('offers no retry of a source that must change', async () => {
    const failure = { code: 'CATALOG_INVALID', message: 'why', step: 'read-catalog' } as const;
    api.onBuild = ({ id }) => api.finish(id, { status: 'failed', reason: 'step_failed', failure });
    const { stdout } = await runCli(api, ['deploy', folder]);
    assert.match(stdout, /Next: fairlead logs bld_1 · change the source, then fairlead deploy\n/);
  });

  it('--json writes events, one a line, of which the last is the result', async () => {
    const { code, stdout } = await runCli(api, ['deploy', folder, '--json']);
    assert.equal(code, 0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(events[0].event, 'accepted');
    assert.equal(events.at(-1).event, 'result');
    assert.equal(events.at(-1).data.url, 'http://hello.localhost:8000');
    assert.ok(events.some((event) => event.event === 'line' && event.seq === 1));
    assert.ok(events.some((event) => event.event === 'step' && event.durationMs === 4_200));
  });

  it('--json reports a failed build as its result and exits 1', async () => {
    api.onBuild = fail;
    const { code, stdout } = await runCli(api, ['deploy', folder, '--json', '--no-logs']);
    assert.equal(code, 1);
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.deepEqual([result.success, result.error.code], [false, 'IMAGE_BUILD_FAILED']);
  });

  it('--quiet prints the address alone', async () => {
    const { stdout, stderr } = await runCli(api, ['deploy', folder, '-q']);
    assert.equal(stdout, 'http://hello.localhost:8000\n');
    assert.equal(stderr, '');
  });

  it('--wait-for-grants waits a day, or the time named; what it waits for is shown', async () => {
    api.onBuild = async (build) => {
      const waiting = { since: AT, until: '2026-01-03T03:04:05.000Z' };
      const blockedGrants = [{ id: 'sgr_1', service: 'notes', state: 'pending', scopes: ['notes:read'] }];
      api.builds.set(build.id, { ...build, status: 'deploying', waiting, blockedGrants });
      // The record is read before the log is followed.
      await waitUntil('the build to be followed', () => api.streams() > 0);
      api.builds.set(build.id, { ...build, waiting: null, blockedGrants: [] });
      complete(build);
    };
    const { stdout, code } = await runCli(api, ['deploy', folder, '--wait-for-grants', '--json']);
    assert.equal(code, 0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const waits = events.filter(({ event }) => event === 'waiting');
    assert.deepEqual(
      waits.map(({ blockedGrants }) => blockedGrants.length),
      [1, 0],
      stdout,
    );
    const [first] = api.requests.filter(({ route }) => route === 'POST /builds/upload');
    assert.deepEqual([first?.query.get('waitForGrants'), first?.query.get('waitForGrantsSeconds')], ['true', null]);
    api.requests.length = 0;
    const plain = await runCli(api, ['deploy', folder, '--wait-for-grants', '90m', '--no-logs']);
    assert.match(
      plain.stdout,
      /Waits for grants until 2026-01-03.*\n +notes: notes:read; an admin of its org runs `fairlead grants approve sgr_1`/,
    );
    const again = api.requests.find(({ route }) => route === 'POST /builds/upload');
    assert.equal(again?.query.get('waitForGrantsSeconds'), '5400');
    for (const time of ['30s', '8d', '24', 'long']) {
      const refused = await runCli(api, ['deploy', folder, '--wait-for-grants', time]);
      assert.equal(refused.code, 2, time);
      assert.match(refused.stderr, /a time from 1m to 7d, such as 90m or 24h/);
    }
    const folderLast = await runCli(api, ['deploy', '--wait-for-grants', folder]);
    assert.equal(folderLast.code, 2);
    assert.match(folderLast.stderr, /A folder or a build stands before the option, or after --/);
    api.requests.length = 0;
    assert.equal((await runCli(api, ['deploy', '--wait-for-grants', '--detach', '--', folder])).code, 0);
    assert.equal(api.requests.find(({ route }) => route === 'POST /builds/upload')?.query.get('waitForGrants'), 'true');
    const help = (await runCli(api, ['deploy', '--help'])).stdout.replace(/\s+/g, ' ');
    assert.match(help, /--wait-for-grants \[time\].*default: 24h\) -d/);
  });

  it('--detach returns at once and says how to follow', async () => {
    api.onBuild = () => {};
    const { code, stdout } = await runCli(api, ['deploy', folder, '--detach']);
    assert.equal(code, 0);
    assert.match(stdout, /fairlead logs -f bld_1/);
  });

  it('says so when it was attached to a build in flight', async () => {
    complete(api.addBuild('bld_9'));
    const data = {
      buildId: 'bld_9',
      deduplicated: true,
      supersededBuildId: null,
      service: 'hello',
      environment: 'prod',
    };
    api.answers.set('POST /builds/trigger', { status: 202, data });
    const { code, stderr } = await runCli(api, ['deploy', 'https://git.example/acme/hello.git']);
    assert.equal(code, 0);
    assert.match(stderr, /Attached to bld_9: the same source is already being built/);
    assert.equal(putServiceBodySchema.parse(body('POST /services')).gitUrl, 'https://git.example/acme/hello.git');
  });

  it('--git deploys the HEAD of a local repository by its path', async () => {
    mkdirSync(join(folder, 'Shop'));
    writeFileSync(join(folder, 'Shop', 'package.json'), '{"name":"template"}');
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
    writeFileSync(join(folder, 'new.txt'), 'x');
    const { code, stderr } = await runCli(api, ['deploy', '--git', join(folder, 'Shop'), '-e', 'uat']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /1 uncommitted change is not part of this deploy/);
    const service = putServiceBodySchema.parse(body('POST /services'));
    assert.deepEqual([service.name, service.appPath], ['shop', 'Shop']);
    const triggered = triggerBodySchema.parse(body('POST /builds/trigger'));
    assert.deepEqual(triggered, {
      service: 'shop',
      environment: 'uat',
      branch: 'main',
      commit: git('rev-parse', 'HEAD'),
    });
  });

  it('a folder, its plan and its repository have one name: that of its origin, else its own; the manifest only without either', async () => {
    const git = (...args: string[]): string => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    const names = async (): Promise<string[]> => {
      const given = [[], ['--git'], ['--plan'], ['--git', '--plan']];
      const found: string[] = [];
      for (const flags of given) {
        api.requests.length = 0;
        assert.equal((await runCli(api, ['deploy', folder, ...flags])).code, 0);
        const { name, service } = body(flags.includes('--plan') ? 'POST /builds/plan' : 'POST /services') as {
          name?: string;
          service?: string;
        };
        found.push(name ?? service ?? '');
      }
      return found;
    };
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
    assert.deepEqual(await names(), Array(4).fill('hello'));
    for (const origin of [
      'https://git.example/acme/Web_Shop.git',
      'git@git.example:acme/Web_Shop',
      'https://git.example/acme/Web_Shop/',
    ]) {
      git('config', 'remote.origin.url', origin);
      assert.deepEqual(await names(), Array(4).fill('web-shop'), origin);
    }
    git('config', '--unset', 'remote.origin.url');
    const unnamed = join(dirname(folder), '___');
    renameSync(folder, unnamed);
    folder = unnamed;
    assert.deepEqual(await names(), Array(4).fill('template'));
  });

  it('--plan shows what was found and the steps, and starts nothing', async () => {
    writeFileSync(join(folder, '.nvmrc'), '22');
    writeFileSync(join(folder, '.env'), 'PASSWORD=x');
    symlinkSync('.env', join(folder, 'Procfile'));
    symlinkSync('.nvmrc', join(folder, '.node-version'));
    const { code, stdout } = await runCli(api, ['deploy', folder, '--plan']);
    assert.equal(code, 0);
    assert.match(stdout, /Start {2}node a\.js\n.*the script; set by platform\.io\/start-command/);
    assert.match(stdout, /• Build image/);
    assert.match(stdout, /– Provision object storage {2}later work/);
    assert.deepEqual(
      api.requests.map((request) => request.route),
      ['GET /services/hello', 'POST /builds/plan'],
    );
    const { files, texts } = planBodySchema.parse(body('POST /builds/plan'));
    assert.deepEqual(files?.toSorted(), ['.node-version', '.nvmrc', 'Procfile', 'package.json']);
    assert.deepEqual(texts, { '.nvmrc': '22', '.node-version': '22' }, 'a link shows no file that is not uploaded');
  });

  it('--plan sends the monorepo around the app, and of lockfiles their beginning', async () => {
    for (const [path, text] of [
      ['package.json', JSON.stringify({ workspaces: ['apps/*'] })],
      ['package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: 'x'.repeat(200_000) })],
      ['apps/web/package.json', '{"name":"web"}'],
      ['apps/other/package.json', '{}'],
    ] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    for (const flags of [['--app-path', 'apps/web'], []]) {
      assert.equal((await runCli(api, ['deploy', folder, '--plan', ...flags])).code, 0);
    }
    const [ofApp, ofRoot] = api.requests
      .filter(({ route }) => route === 'POST /builds/plan')
      .map(({ body: sent }) => planBodySchema.parse(JSON.parse(sent.toString())));
    assert.deepEqual(
      [ofApp?.monorepo?.folder, ofApp?.monorepo?.app, ofApp?.manifest],
      ['', 'apps/web', '{"name":"web"}'],
    );
    assert.ok(ofApp?.monorepo?.texts['apps/other/package.json'] !== undefined);
    assert.equal(ofRoot?.monorepo, undefined);
    assert.match(ofRoot?.texts?.['package-lock.json'] ?? '', /^\{"lockfileVersion":3/);
  });

  it('--plan of a git address shows what was found there, on the branch named; of one that cannot be read, the steps', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'one');
    git('checkout', '-q', '-b', 'next');
    writeFileSync(join(folder, '.nvmrc'), '22');
    git('add', '-A');
    git('commit', '-q', '-m', 'two');
    const url = `file://${folder}`;
    const asked = async (...args: string[]) => {
      api.requests.length = 0;
      const { code, stdout, stderr } = await runCli(api, ['deploy', url, '--plan', ...args]);
      assert.deepEqual([code, api.requests.at(-1)?.route], [0, 'POST /builds/plan'], stderr);
      assert.ok(
        api.requests.every(({ route }) => /^GET |builds\/plan$/.test(route)),
        'starts nothing',
      );
      return { stdout, stderr, ...planBodySchema.parse(body('POST /builds/plan')) };
    };
    const next = await asked('--branch', 'next');
    assert.ok(next.manifest !== undefined && next.stdout.includes('Start'));
    assert.deepEqual(next.texts, { '.nvmrc': '22' });
    assert.deepEqual((await asked('--branch', 'main')).texts, {});
    const missing = await asked('--branch', 'nowhere');
    assert.deepEqual([missing.manifest, missing.files], [undefined, undefined]);
    assert.match(missing.stderr, /cannot be read here, so the plan shows its steps alone: .*nowhere/);
  });

  it('a secret comes from stdin and is in no output; one on the command line is refused', async () => {
    const canary = 'canary-4711-zebra';
    for (const flags of [[], ['--json'], ['--verbose']]) {
      api.requests.length = 0;
      const { stdout, stderr } = await runCli(api, ['deploy', folder, '--secret', 'TOKEN', ...flags], {
        stdin: `${canary}\n`,
      });
      assert.deepEqual(putServiceBodySchema.parse(body('POST /services')).secrets, { TOKEN: canary });
      assert.ok(!(stdout + stderr).includes(canary));
    }
    api.onBuild = ({ id }) => api.log(id, 'source', 'first line');
    const running = startCli(api, ['deploy', folder, '--secret', 'TOKEN'], { stdin: canary });
    await waitUntil('the first line', () => running.text().includes('first line'));
    const seen = execFileSync('ps', ['axeww', '-o', 'pid,args'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    assert.ok(!seen.includes(canary), 'the secret is in the process list');
    running.child.kill('SIGINT');
    await running.done;
    const refused = await runCli(api, ['deploy', folder, '--secret', `TOKEN=${canary}`]);
    assert.equal(refused.code, 2);
    assert.ok(!(refused.stdout + refused.stderr).includes(canary));
  });

  it('--set is stored before the deploy and its value is not echoed', async () => {
    const { code, stdout, stderr } = await runCli(api, ['deploy', folder, '--set', 'MODE=a=b', '--set', 'X=value-77']);
    assert.equal(code, 0);
    assert.deepEqual(putServiceBodySchema.parse(body('POST /services')).config, { MODE: 'a=b', X: 'value-77' });
    assert.doesNotMatch(stdout + stderr, /a=b|value-77/);
    const wrong = await runCli(api, ['deploy', folder, '--set', 'value-78']);
    assert.equal(wrong.code, 2);
    assert.doesNotMatch(wrong.stderr, /value-78/);
  });

  it('says that what was stored for a deploy stays stored when it fails, and how to remove it', async () => {
    const args = ['deploy', folder, '--set', 'MODE=x', '--secret', 'TOKEN'];
    api.onBuild = fail;
    const failed = await runCli(api, args, { stdin: 'secret-79' });
    assert.match(
      failed.stderr,
      /MODE, TOKEN stay stored for the next deploy\. To remove: `fairlead config unset MODE TOKEN --service hello`/,
    );
    api.onBuild = complete;
    const live = await runCli(api, args, { stdin: 'secret-79' });
    assert.doesNotMatch(live.stderr, /stay stored/);
  });

  it('continues after the last line when the API restarts during a build', async () => {
    api.onBuild = ({ id }) => api.log(id, 'source', 'first line');
    const running = startCli(api, ['deploy', folder]);
    await waitUntil('the first line', () => running.text().includes('first line'));
    await api.stop();
    await waitUntil('the loss to be noticed', () => running.text().includes('Connection lost'));
    api.log('bld_1', 'source', 'written meanwhile');
    await api.start();
    await waitUntil('the line written meanwhile', () => running.text().includes('written meanwhile'));
    complete({ id: 'bld_1' });
    const { code, stdout, stderr } = await running.done;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Connected again/);
    assert.equal(stdout.match(/first line/g)?.length, 1);
    assert.ok(api.requests.some((request) => request.headers['last-event-id'] === '1'));
  });

  it('Ctrl-C leaves the build alone, says how to follow and cancel it, and exits 130', async () => {
    for (const flags of [[], ['--json']]) {
      api.builds.clear();
      api.onBuild = ({ id }) => api.log(id, 'source', 'first line');
      const running = startCli(api, ['deploy', folder, ...flags]);
      await waitUntil('the first line', () => running.text().includes('first line'));
      running.child.kill('SIGINT');
      const { code, stdout, stderr } = await running.done;
      assert.equal(code, 130);
      assert.match(stdout + stderr, /fairlead(?:\.mjs)? logs -f bld_1.*fairlead(?:\.mjs)? cancel bld_1/);
      if (flags.length > 0) assert.equal(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').event, 'result');
      assert.ok(!api.requests.some((request) => request.route.endsWith('/cancel')));
    }
  });

  it('shows the refused fields of a request and exits 2', async () => {
    const details = [{ field: 'port', message: 'is taken' }];
    api.answers.set('POST /services', { status: 400, error: { code: 'VALIDATION_FAILED', message: 'No.', details } });
    const { code, stderr } = await runCli(api, ['deploy', folder]);
    assert.equal(code, 2);
    assert.match(stderr, /VALIDATION_FAILED No\.\n {2}port: is taken/);
    const told = {
      code: 'VALIDATION_FAILED',
      message: 'port: is taken',
      details: [{ field: 'port', message: 'port: is taken' }],
    };
    api.answers.set('POST /services', { status: 400, error: told });
    assert.match((await runCli(api, ['deploy', folder])).stderr, /VALIDATION_FAILED port: is taken\n$/, 'told once');
  });

  it('Ctrl-C during the upload ends it in order, with exit 130', async () => {
    writeFileSync(join(folder, 'big'), randomBytes(40 * 1024 * 1024));
    const stalled = createServer((request, response) => {
      if (request.url === '/services') response.end('{"success":true,"data":{"id":"svc_1","name":"hello"}}');
      else running.child.kill('SIGINT');
    });
    stalled.listen(0, '127.0.0.1');
    await once(stalled, 'listening');
    const address = stalled.address();
    assert.ok(address !== null && typeof address !== 'string');
    const running = startCli({ url: `http://127.0.0.1:${address.port}` }, ['deploy', folder]);
    try {
      const { code, stderr } = await running.done;
      assert.equal(code, 130);
      assert.match(stderr, /The upload was interrupted/);
    } finally {
      stalled.closeAllConnections();
      stalled.close();
    }
  });
});
