import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { RUNTIME_CAPABILITIES, type RuntimeName } from '../../domain/deploys/runtime-capabilities.ts';
import type { ProbeResult, Workload, WorkloadRuntime, WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { CUT_MARK } from '../../domain/logs/cut-line.ts';
import { type OutputLine, type OutputPosition, positionAfter } from '../../domain/logs/output-line.ts';
import { patience } from '../support/patience.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A runtime to test, and an image whose program is {@link WORKLOAD_PROGRAM}. */
export interface RuntimeUnderTest {
  readonly runtime: WorkloadRuntime;
  readonly image: string;
  /** What it may do otherwise is its capabilities', and nothing else. */
  readonly name: RuntimeName;
  /** The CPU limit that holds for a workload, in milli-cores. */
  cpuMillis(workload: Workload): Promise<number>;
  /** Stops a workload without removing it, as a restart of the machine does. */
  stop(workload: Workload): Promise<void>;
}

/** What the image of the suite runs with node. MODE decides how it behaves. */
export const WORKLOAD_PROGRAM = `
const { createServer } = require('node:http');
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const tryWrite = (path, bytes = 1) => {
  try { writeFileSync(path, Buffer.alloc(bytes)); return 'written'; }
  catch (error) { return error.code; }
  finally { try { rmSync(path); } catch {} }
};
const FOLDERS = ['/tmp', '/run', '/var/tmp', '/var/cache/nginx', '/volume', '/app/data', '/app', '/home'];
const facts = () => ({
  uid: process.getuid(), status: readFileSync('/proc/self/status', 'utf8'),
  limits: readFileSync('/proc/self/limits', 'utf8'),
  written: Object.fromEntries(FOLDERS.map((path) => [path, tryWrite(path + '/x')])),
  overSize: Object.fromEntries(FOLDERS.map((path) => [path, tryWrite(path + '/x', 80 * 1024 ** 2)])),
});
const read = (path) => readFileSync('/sys/fs/cgroup/' + path, 'utf8').trim();
const cpuMillis = () => {
  let quota, period;
  try { [quota, period] = read('cpu.max').split(' '); }
  catch { [quota, period] = [read('cpu/cpu.cfs_quota_us'), read('cpu/cpu.cfs_period_us')]; }
  return quota * 1000 / period;
};
const mode = process.env.MODE;
console.log('says out');
console.error('says err');
if (mode === 'exit') process.exit(3);
if (mode === 'oom') { const held = []; setInterval(() => held.push(Buffer.alloc(32 * 1024 * 1024, 1)), 5); }
const server = createServer((request, response) => {
  if (request.url === '/facts') return response.end(JSON.stringify(facts()));
  if (request.url === '/cpu') return response.end(String(cpuMillis()));
  if (request.url.startsWith('/say/')) {
    const [, , stream, length] = request.url.split('/');
    (stream === 'out' ? process.stdout : process.stderr).write('x'.repeat(Number(length)) + ' said\\n');
  }
  if (request.url === '/slow') return setTimeout(() => response.end('done'), 1000);
  if (request.url.startsWith('/reach/')) {
    return fetch('http://' + request.url.slice(7), { signal: AbortSignal.timeout(1500) })
      .then(() => response.end('reached'), () => response.end('not reached'));
  }
  if (request.url === '/bad') { response.statusCode = 503; return response.end('no'); }
  if (request.url === '/big') return response.end('x'.repeat(1_000_000));
  response.end(JSON.stringify({ status: 'ok', commit: process.env.GIT_COMMIT }));
});
if (mode === 'silent') setInterval(() => {}, 1000);
else if (mode === 'loopback') server.listen(3000, '127.0.0.1');
else server.listen(mode === 'elsewhere' ? 8080 : 3000, '0.0.0.0');
process.on('SIGTERM', () => { console.log('told to stop'); server.close(() => process.exit(0)); });
`;

let builds = 0;

/** A spec of a build of its own, in the tier `small`. */
export function workloadSpec(image: string, changes: Partial<WorkloadSpec> = {}): WorkloadSpec {
  builds += 1;
  return {
    buildId: `bld_suite${process.pid}x${builds}`,
    releaseId: `rel_suite${builds}`,
    org: 'acme',
    service: 'suite',
    environment: 'sandbox',
    image,
    port: 3000,
    onLoopback: false,
    healthEndpoint: '/health',
    healthRule: 'declared',
    tier: POD_TIERS.small,
    readOnlyRoot: true,
    writablePaths: [],
    dependencies: [],
    databases: [],
    env: { GIT_COMMIT: 'c0ffee', NODE_ENV: 'production' },
    ...changes,
  };
}

/** A context whose lines can be read afterwards. */
export function recordingContext(signal: AbortSignal = patience()): EffectContext & {
  readonly lines: string[];
} {
  const lines: string[] = [];
  return { signal, lines, onLine: (line) => lines.push(line) };
}

export function untilHealthy(runtime: WorkloadRuntime, workload: Workload): Promise<ProbeResult> {
  return waitUntil('a healthy answer', async () => {
    const result = await runtime.probe(workload, '/health', AbortSignal.timeout(10_000));
    return result.ok ? result : null;
  });
}

const idsOf =
  ({ buildId }: WorkloadSpec) =>
  (workloads: readonly Workload[]): string[] =>
    workloads.filter((workload) => workload.buildId === buildId).map(({ id }) => id);

/** What every {@link WorkloadRuntime} guarantees. */
export function workloadRuntimeSuite(under: () => RuntimeUnderTest): void {
  const start = (changes: Partial<WorkloadSpec> = {}) =>
    under().runtime.start(workloadSpec(under().image, changes), recordingContext());
  const can = () => RUNTIME_CAPABILITIES[under().name];
  /** Lines such as `error says err`, as this runtime tells its streams apart. */
  const ofStreams = (...lines: readonly string[]): readonly string[] => {
    const merged = (line: string) => (can().output === 'merged' ? line.replace(/^error /, 'out ') : line);
    return lines.map(merged).sort();
  };

  describe('WorkloadRuntime: a workload that serves', () => {
    let workload: Workload;
    before(async () => {
      workload = await start();
      assert.equal(workload.running, true);
    });
    after(() => under().runtime.remove(workload, 1));

    it('answers its probe with the commit', async () => {
      const result = await untilHealthy(under().runtime, workload);
      assert.equal(result.commit, 'c0ffee');
      assert.match(result.summary, /^GET http:\/\/.+\/health answered 200$/);
    });

    it('tells which variables it was started with, and null when it is gone', async () => {
      const { runtime } = under();
      const others: Record<string, string> = can().variableNames === 'any' ? { ÄÖ: 'ü' } : { 'A-B.C': 'ü' };
      const env = { A: 'a=b=', EMPTY: '', LINES: 'one\ntwo', ...others };
      const other = await start({ env });
      const given = await runtime.variables(other);
      for (const [name, value] of Object.entries(env)) assert.equal(given?.[name], value, name);
      assert.equal((await runtime.variables(workload))?.A, undefined);
      await runtime.remove(other, 1);
      assert.equal(await runtime.variables(other), null);
    });

    it('tells how it is and what it uses, of one that was stopped that it is, and nothing of one that is gone', async () => {
      const { runtime, stop } = under();
      const measured = await runtime.measure(workload);
      assert.deepEqual([measured?.status, measured?.restarts, measured?.outOfMemory], ['running', 0, false]);
      assert.ok((measured?.since?.getTime() ?? 0) > Date.now() - 3_600_000);
      // A node measures every few seconds.
      const usage = await waitUntil('what it uses', async () => (await runtime.measure(workload))?.usage);
      assert.equal(usage.memoryLimitBytes, POD_TIERS.small.memoryLimitBytes);
      assert.ok(usage.memoryBytes > 1024 ** 2 && usage.memoryBytes < POD_TIERS.small.memoryLimitBytes);
      assert.ok(usage.cpuUsedMs > 0);
      const other = await start();
      await stop(other);
      const stopped = await runtime.measure(other);
      assert.deepEqual([stopped?.status, stopped?.usage], ['stopped', null]);
      assert.ok(stopped?.since instanceof Date);
      await runtime.remove(other, 1);
      assert.equal(await runtime.measure(other), null);
    });

    it('an answer other than 2xx is not ok and says its status', async () => {
      await untilHealthy(under().runtime, workload);
      const result = await under().runtime.probe(workload, '/bad', AbortSignal.timeout(10_000));
      assert.deepEqual([result.ok, result.status, result.commit], [false, 503, null]);
      assert.match(result.summary, /answered 503/);
      const big = await under().runtime.probe(workload, '/big', AbortSignal.timeout(10_000));
      assert.deepEqual([big.ok, big.commit], [true, null]);
    });

    it('an aborted probe throws the reason', async () => {
      await assert.rejects(under().runtime.probe(workload, '/', AbortSignal.abort(new Error('enough'))), /enough/);
    });

    it('the tail has both output streams', async () => {
      await untilHealthy(under().runtime, workload);
      const lines = await under().runtime.tail(workload, 10);
      assert.deepEqual([...lines].sort(), ['says err', 'says out']);
      assert.equal((await under().runtime.tail(workload, 1)).length, 1);
    });
  });

  describe('WorkloadRuntime: start and probe', () => {
    it('a second start of a build adopts the workload of the first', async () => {
      const spec = workloadSpec(under().image);
      const { runtime } = under();
      const first = await runtime.start(spec, recordingContext());
      const again = await Promise.all([1, 2, 3].map(() => runtime.start(spec, recordingContext())));
      assert.deepEqual(
        again.map(({ id, address }) => ({ id, address })),
        Array(3).fill({ id: first.id, address: first.address }),
      );
      const listed = await runtime.list(spec.service, spec.environment);
      assert.equal(listed.filter(({ buildId }) => buildId === spec.buildId).length, 1);
      await runtime.remove(first, 1);
    });

    it('starts of one build at the same moment make one workload', async () => {
      const spec = workloadSpec(under().image);
      const started = await Promise.all([1, 2, 3].map(() => under().runtime.start(spec, recordingContext())));
      assert.equal(new Set(started.map(({ id }) => id)).size, 1);
      await Promise.all(started.map((workload) => under().runtime.remove(workload, 1)));
    });

    it('after applyCpuLimit a workload has the CPU of its tier, and keeps running', async () => {
      const { runtime, cpuMillis } = under();
      const spec = workloadSpec(under().image, { tier: POD_TIERS.nano });
      const workload = await runtime.start(spec, recordingContext());
      await untilHealthy(runtime, workload);
      assert.ok((await cpuMillis(workload)) >= POD_TIERS.nano.cpuLimitMillis);
      for (const time of ['once', 'twice']) {
        await runtime.applyCpuLimit(workload);
        assert.equal(await cpuMillis(workload), POD_TIERS.nano.cpuLimitMillis, time);
      }
      assert.deepEqual(await runtime.start(spec, recordingContext()), workload);
      assert.equal(await cpuMillis(workload), POD_TIERS.nano.cpuLimitMillis, 'adopted');
      await runtime.remove(workload, 1);
      await runtime.applyCpuLimit(workload);
    });

    it('a workload that does not listen gives a readable summary', async () => {
      const workload = await start({ env: { MODE: 'silent' } });
      const result = await under().runtime.probe(workload, '/health', AbortSignal.timeout(10_000));
      assert.equal(result.ok, false);
      assert.equal(result.status, null);
      assert.match(result.summary, /was refused|was cut off|failed/);
      await under().runtime.remove(workload, 1);
    });

    it('tells where a workload listens that does not answer at its port, and starts it anew at the right one', async () => {
      const { runtime, image } = under();
      const spec = workloadSpec(image, { env: { MODE: 'elsewhere' } });
      const workload = await runtime.start(spec, recordingContext());
      const sockets = await waitUntil('a socket', async () => {
        const found = await runtime.listening(workload);
        return found?.length === 0 ? null : found;
      });
      assert.deepEqual(sockets, [{ host: '0.0.0.0', port: 8080 }]);
      assert.equal((await runtime.probe(workload, '/health', AbortSignal.timeout(10_000))).status, null);
      const moved = await runtime.start({ ...spec, port: 8080 }, recordingContext());
      assert.equal((await untilHealthy(runtime, moved)).status, 200);
      assert.deepEqual(await runtime.list('suite', 'sandbox').then(idsOf(spec)), [moved.id], 'the first one is gone');
      await runtime.remove(moved, 1);
      assert.equal(await runtime.listening(moved), null);
    });

    it('tells of a workload that listens for its own container alone', async () => {
      const { runtime } = under();
      const workload = await start({ env: { MODE: 'loopback' } });
      const sockets = await waitUntil('a socket', async () => {
        const found = await runtime.listening(workload);
        return found?.length === 0 ? null : found;
      });
      assert.deepEqual(sockets, [{ host: '127.0.0.1', port: 3000 }]);
      await runtime.remove(workload, 1);
    });

    it('an image that cannot be had is INSTALL_FAILED', async () => {
      const [name] = under().image.split('@');
      const image = `${name}@sha256:${'0'.repeat(64)}`;
      await assert.rejects(
        start({ image }),
        (error) => error instanceof FairleadError && error.code === 'INSTALL_FAILED',
      );
    });
  });

  describe('WorkloadRuntime: following the output', () => {
    const said = (workload: Workload, stream: 'out' | 'error', length: number) =>
      under().runtime.probe(workload, `/say/${stream}/${length}`, AbortSignal.timeout(30_000));

    /** Follows until so many lines have come. */
    async function followed(workload: Workload, wanted: number, after: OutputPosition = {}): Promise<OutputLine[]> {
      const enough = new AbortController();
      const lines: OutputLine[] = [];
      for await (const more of under().runtime.follow(workload, {
        after,
        signal: AbortSignal.any([enough.signal, patience()]),
      })) {
        lines.push(...more);
        if (lines.length >= wanted) enough.abort();
      }
      return lines;
    }
    const shown = (lines: readonly OutputLine[]) => lines.map(({ stream, text }) => `${stream} ${text}`).sort();

    it('gives what was printed before and what is printed then, with stream and time', async () => {
      const workload = await start();
      await untilHealthy(under().runtime, workload);
      const both = followed(workload, 4);
      await said(workload, 'out', 1);
      await said(workload, 'error', 2);
      const lines = await both;
      const all = ['error says err', 'error xx said', 'out says out', 'out x said'];
      assert.deepEqual(shown(lines), ofStreams(...all));
      for (const { at } of lines) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
      await under().runtime.remove(workload, 1);
    });

    it('goes on after a position, of each stream by itself', async () => {
      const workload = await start();
      await untilHealthy(under().runtime, workload);
      await said(workload, 'out', 1);
      const lines = await followed(workload, 3);
      const position = lines.filter(({ stream }) => stream === 'out').reduce(positionAfter, {});
      // Of one stream alone there is nothing to go on with.
      if (can().output === 'separate') {
        assert.deepEqual(shown(await followed(workload, 1, position)), ['error says err']);
      }
      // The place of a line that it does not keep any more, if it ever did.
      const [first] = await followed(workload, 1, { out: '2020-01-01T00:00:00.000000000Z' });
      assert.equal(first?.afterGap, true, 'lines may be missing before it');
      assert.ok(lines.every(({ afterGap }) => afterGap === undefined));
      const all = followed(workload, 1, lines.reduce(positionAfter, {}));
      await said(workload, 'out', 5);
      assert.deepEqual(shown(await all), ['out xxxxx said']);
      await under().runtime.remove(workload, 1);
    });

    it('joins the fragments of a long line, and cuts a line of 5 MB with a mark', async () => {
      const workload = await start();
      await untilHealthy(under().runtime, workload);
      await said(workload, 'out', 16_000);
      const long = followed(workload, 5);
      await said(workload, 'error', 5_000_000);
      await said(workload, 'error', 1);
      const texts = (await long).map(({ text }) => text);
      assert.ok(texts.includes(`${'x'.repeat(16_000)} said`));
      assert.ok(texts.includes('x said'), 'the line behind is whole');
      assert.deepEqual(
        texts.filter((text) => text.length > 16_100),
        ['x'.repeat(16_384) + CUT_MARK],
      );
      await under().runtime.remove(workload, 1);
    });

    it('goes on through a stop and a new start of the workload, and ends when it is removed', async () => {
      const { runtime, stop } = under();
      const workload = await start({ service: 'followed' });
      await untilHealthy(runtime, workload);
      const lines: OutputLine[] = [];
      const ended = (async () => {
        for await (const more of runtime.follow(workload, { after: {}, signal: patience() })) lines.push(...more);
      })();
      await waitUntil('the first lines', () => lines.length >= 2);
      await stop(workload);
      const resumed = await runtime.resume(workload, patience());
      await untilHealthy(runtime, resumed);
      await said(resumed, 'out', 3);
      await waitUntil('lines of the second run', () => lines.some(({ text }) => text === 'xxx said'));
      assert.equal(lines.filter(({ text }) => text === 'says out').length, 2, 'one of each run');
      await runtime.remove(resumed, 1);
      await ended;
    });

    it('ends for a signal, and for a workload that is gone', async () => {
      const workload = await start();
      for await (const _ of under().runtime.follow(workload, { after: {}, signal: AbortSignal.abort() })) assert.fail();
      await under().runtime.remove(workload, 1);
      for await (const _ of under().runtime.follow(workload, { after: {}, signal: patience() })) assert.fail();
    });
  });

  describe('WorkloadRuntime: life and end', () => {
    it('lists workloads of a service and environment, newest first, and all of them', async () => {
      const older = await start({ service: 'listed' });
      const newer = await start({ service: 'listed' });
      const other = await start({ service: 'listed', environment: 'uat' });
      const { runtime } = under();
      const ids = (await runtime.list('listed', 'sandbox')).map(({ id }) => id);
      assert.deepEqual(ids, [newer.id, older.id]);
      const all = new Set((await runtime.listAll()).map(({ id }) => id));
      assert.ok([older, newer, other].every(({ id }) => all.has(id)));
      await Promise.all([older, newer, other].map((workload) => runtime.remove(workload, 1)));
    });

    it('a stopped workload is listed as one that does not run, and resumes as what it was', async () => {
      const { runtime, stop } = under();
      const workload = await start({ service: 'resumed' });
      await stop(workload);
      assert.equal(await runtime.isAlive(workload), false);
      assert.deepEqual(await runtime.list('resumed', 'sandbox'), [{ ...workload, running: false }]);
      for (const time of ['stopped', 'running']) {
        const resumed = await runtime.resume(workload, patience());
        const { buildId, releaseId, running } = resumed;
        const { buildId: build, releaseId: release } = workload;
        assert.deepEqual([buildId, releaseId, running], [build, release, true], time);
        assert.equal((await untilHealthy(runtime, resumed)).commit, 'c0ffee', time);
        assert.deepEqual(await runtime.list('resumed', 'sandbox'), [resumed], time);
        await runtime.applyCpuLimit(resumed);
      }
      const [resumed] = await runtime.list('resumed', 'sandbox');
      assert.ok(resumed);
      await runtime.remove(resumed, 1);
      await assert.rejects(runtime.resume(resumed, patience()), { code: 'INSTALL_FAILED' });
    });

    it('an aborted start or resume throws the reason', async () => {
      const { runtime, image } = under();
      const signal = AbortSignal.abort(new Error('enough'));
      const spec = workloadSpec(image, { service: 'aborted' });
      await assert.rejects(runtime.start(spec, recordingContext(signal)), /enough/);
      assert.deepEqual(await runtime.list('aborted', 'sandbox'), []);
      const workload = await start({ service: 'aborted' });
      await assert.rejects(runtime.resume(workload, signal), /enough/);
      await runtime.remove(workload, 1);
    });

    it('a workload whose process keeps ending is not alive, and its tail says how it ended', async () => {
      const { runtime } = under();
      const workload = await start({ env: { MODE: 'exit' } });
      await waitUntil('the end', async () => ((await runtime.isAlive(workload)) ? null : true));
      // Between two ends it runs for a moment, and its tail says only that it was restarted.
      await waitUntil('how it ended', async () =>
        (await runtime.tail(workload, 50)).join('\n').includes('exit code 3'),
      );
      await runtime.remove(workload, 1);
    });

    it('a workload over its memory limit is not alive, and its tail names the limit', async () => {
      const { runtime } = under();
      const workload = await start({ env: { MODE: 'oom' }, tier: POD_TIERS.nano });
      await waitUntil('the end', async () => ((await runtime.isAlive(workload)) ? null : true), { withinMs: 60_000 });
      assert.match((await runtime.tail(workload, 50)).join('\n'), /out of memory.*256 MiB/);
      await runtime.remove(workload, 1);
    });

    it('removing lets requests in flight end', async () => {
      const { runtime } = under();
      const workload = await start();
      await untilHealthy(runtime, workload);
      const slow = runtime.probe(workload, '/slow', AbortSignal.timeout(10_000));
      await delay(200);
      const [result] = await Promise.all([slow, runtime.remove(workload, 10)]);
      assert.equal(result.ok, true);
    });

    it('removing twice, or at the same time, is no error; what is gone is not alive', async () => {
      const { runtime } = under();
      const workload = await start();
      await Promise.all([runtime.remove(workload, 1), runtime.remove(workload, 1)]);
      await runtime.remove(workload, 1);
      assert.equal(await runtime.isAlive(workload), false);
      assert.equal(
        (await runtime.list('suite', 'sandbox')).some(({ id }) => id === workload.id),
        false,
      );
    });
  });
}
