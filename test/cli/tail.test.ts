import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { runCli as runHere } from '../../cli/program.ts';
import type { OpenServiceLog } from '../../domain/logs/service-log.ts';
import { releaseRecord } from '../ports/records.ts';
import { linesOf, serviceLogLine } from '../ports/service-logs.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli, startCli } from './run-cli.ts';
import { startTestApi } from './test-api.ts';

const ENV = { FAIRLEAD_KEY: KEY };

/** The command against a real builder. */
describe('fairlead tail', () => {
  let api: TestApi;
  let folder: string;
  let log: OpenServiceLog;
  let epoch = 0;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-tail-'));
    await writeFile(join(folder, 'catalog-info.yaml'), 'metadata:\n  name: shop\n');
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'platform' }, {});
    await api.serviceLogs.remove('svc_shop');
    log = await (await api.serviceLogs.takeOver()).open({ serviceId: 'svc_shop', environment: 'prod' });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const live = async (): Promise<void> => {
    epoch += 1;
    const release = { id: 'rel_1', service: 'shop', serviceId: 'svc_shop', environment: 'prod' } as const;
    await api.releases.put(releaseRecord(release));
    await api.releases.activate('rel_1', { at: new Date(), epoch, buildId: 'bld_1' });
  };
  const ok = async (...args: string[]): Promise<CliResult> => {
    const result = await runCli({ url: api.address }, ['tail', ...args], { cwd: folder, env: ENV });
    assert.equal(result.code, 0, result.stderr);
    return result;
  };
  const shown = (stdout: string) =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.replace(/^[\d:]{8} /, ''));

  it('says plainly that a service is not live, or printed nothing yet', async () => {
    assert.match((await ok()).stderr, /shop is not live in prod\. Deploy it: `fairlead deploy`/);
    await live();
    assert.match((await ok()).stderr, /^shop printed nothing yet in prod\n$/);
    assert.match((await ok('--contains', 'x')).stderr, /^No line matches\n$/);
    const { stderr, code } = await runCli({ url: api.address }, ['tail', 'nobody'], { env: ENV });
    assert.match(stderr, /SERVICE_NOT_FOUND/);
    assert.equal(code, 3);
  });

  it('shows the last lines of the folder’s service, and says of which release they are when that changes', async () => {
    await live();
    await log.append([...linesOf(1, 2), serviceLogLine('of the next', { release: 'rel_2', stream: 'error' })]);
    const all = await ok();
    assert.deepEqual(shown(all.stdout), ['line 1', 'line 2', 'of the next']);
    assert.equal(all.stderr, 'Release rel_1\nRelease rel_2\n');
    assert.deepEqual(shown((await ok('-n', '1')).stdout), ['of the next']);
    assert.deepEqual(shown((await ok('--stream', 'out', '--contains', '2')).stdout), ['line 2']);
    assert.deepEqual(shown((await ok('shop', '--env', 'uat')).stdout), []);
  });

  it('with --json it is one document, whose text is what was printed', async () => {
    await live();
    await log.append(linesOf(1, 2));
    const { success, data } = JSON.parse((await ok('--json')).stdout);
    assert.deepEqual([success, data.service, data.live, data.truncated], [true, 'shop', true, false]);
    assert.deepEqual(
      data.items.map(({ text }: { text: string }) => text),
      ['line 1', 'line 2'],
    );
  });

  it('finds lines by level, release and time', async () => {
    await live();
    const json = (level: string) => serviceLogLine(JSON.stringify({ level }), { release: 'rel_2' });
    const lines = [...linesOf(1, 2), json('info'), json('warn'), serviceLogLine('a stack', { stream: 'error' })];
    const now = `${new Date().toISOString().slice(0, -1)}000000Z`;
    await log.append([...lines, serviceLogLine('of today', { at: now })]);
    assert.deepEqual(shown((await ok('--level', 'warn')).stdout), ['{"level":"warn"}', 'a stack']);
    assert.deepEqual(shown((await ok('--level', 'error')).stdout), ['a stack']);
    assert.deepEqual(shown((await ok('--release', 'rel_2')).stdout), ['{"level":"info"}', '{"level":"warn"}']);
    assert.deepEqual(shown((await ok('--since', '1h')).stdout), ['of today']);
    assert.equal(shown((await ok('--since', '2026-01-01', '--until', '2026-01-02')).stdout).length, 5);
    assert.deepEqual(shown((await ok('--until', '2026-01-01')).stdout), []);
    assert.match((await ok('--level', 'error', '--until', '2026-01-01')).stderr, /^No line matches\n$/);
    const run = (...args: string[]) => runCli({ url: api.address }, ['tail', ...args], { cwd: folder, env: ENV });
    assert.equal((await run('-f', '--until', '1h')).code, 2);
    const wrong = await run('--since', 'yesterday');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /a day such as 2026-11-21.*how long ago it was, such as 15m/);
  });

  it('nothing that reaches the terminal can command it, whatever stands in the log', async () => {
    await live();
    await log.append([serviceLogLine('\u001b[2J\u001b]0;owned\u0007red\u0000 \u009b2J\u202eturned')]);
    assert.deepEqual(shown((await ok()).stdout), ['red turned']);
    const { stdout } = await ok('--json');
    assert.doesNotMatch(stdout, /(?![\n])\p{Cc}|\u202e/u);
    assert.match(JSON.parse(stdout).data.items[0].text, /\u009b2J\u202eturned$/);
  });

  it('-f shows lines as they come, those of a new release too, and Ctrl-C ends it', async () => {
    await live();
    await log.append(linesOf(1, 1));
    const running = startCli({ url: api.address }, ['tail', '-f'], { cwd: folder, env: ENV });
    await waitUntil('the first line', () => running.text().includes('line 1'));
    await log.append([serviceLogLine('line 2', { release: 'rel_2' })]);
    await waitUntil('the second line', () => running.text().includes('line 2'));
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.done;
    assert.deepEqual(shown(stdout), ['line 1', 'line 2']);
    assert.match(stderr, /Release rel_1\nRelease rel_2\nStopped following shop/);
    assert.equal(code, 130);
  });

  it('-f hears Ctrl-C by the time that it shows its first line', async () => {
    await live();
    await log.append(linesOf(1, 1));
    const others = process.listenerCount('SIGTERM');
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        assert.notEqual(process.listenerCount('SIGTERM'), others);
        process.emit('SIGTERM');
        done();
      },
    });
    const io = { stdin: Readable.from([]), stdout, stderr: new PassThrough().resume(), cwd: folder };
    const env = { ...ENV, FAIRLEAD_URL: api.address, PATH: process.env.PATH, HOME: folder };
    assert.equal(await runHere(['tail', '-f'], { ...io, env }), 130);
  });

  it('-f --json is one event a line', async () => {
    await live();
    await log.append(linesOf(1, 1));
    const running = startCli({ url: api.address }, ['tail', '-f', '--json'], { cwd: folder, env: ENV });
    await waitUntil('the first line', () => running.text().includes('line 1'));
    await log.append(linesOf(2, 2));
    await waitUntil('the second line', () => running.text().includes('line 2'));
    running.child.kill('SIGTERM');
    const events = (await running.done).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(events.map(({ event, text }) => [event, text]).slice(0, 2), [
      ['line', 'line 1'],
      ['line', 'line 2'],
    ]);
  });
});

it('fairlead tail -f goes on after the last line that it showed when the API was restarted', async () => {
  const api = await startTestApi();
  const line = (number: number) => ({
    id: `1:${number}`,
    at: '2026-01-01T00:00:00.000000000Z',
    stream: 'out',
    release: 'rel_1',
    text: `line ${number}`,
  });
  const data = { environment: 'prod', items: [line(1)], truncated: false, live: true };
  api.answers.set('GET /services/hello/logs', { status: 200, data });
  const running = startCli(api, ['tail', '-f', 'hello']);
  await waitUntil('the stream', () => api.requests.some(({ headers }) => headers.accept === 'text/event-stream'));
  await api.stop();
  await waitUntil('the loss', () => running.text().includes('Connection lost'));
  await api.start();
  const resumed = () => api.requests.filter(({ headers }) => headers.accept === 'text/event-stream');
  await waitUntil('another stream', () => resumed().length > 1);
  assert.ok(resumed().every(({ headers }) => headers['last-event-id'] === '1:1'));
  running.child.kill('SIGINT');
  await running.done;
  await api.stop();
});
