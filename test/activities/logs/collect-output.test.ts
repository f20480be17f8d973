import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { workloadRedactor } from '../../../activities/deploys/redaction.ts';
import { type CollectDeps, collectOutput } from '../../../activities/logs/collect-output.ts';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import type { ServiceLogLine, ServiceLogs } from '../../../domain/logs/service-log.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { workloadSpec } from '../../ports/workload-runtime.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { readBehind } from '../../support/in-memory/read-behind.ts';
import { waitUntil } from '../../support/wait-until.ts';

const IMAGE = `registry.example/shop@sha256:${'a'.repeat(64)}`;
const TARGET = { serviceId: 'svc_shop', environment: 'prod' } as const;

let root: string;
let folders = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-collect-'));
});
after(() => rm(root, { recursive: true, force: true }));

/** A service with a workload that prints what it is told, and collectors of its output into one folder. */
async function served(changes: Partial<CollectDeps> = {}) {
  const parts = createInMemoryDeploys();
  parts.registry.put(IMAGE, () => ({ output: [], listener: null, ended: null }));
  await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  const logs = createServiceLogs({ directory: join(root, `${++folders}`), limits: { noteEveryBytes: 2_000 } });
  const warnings: string[] = [];
  const deps: CollectDeps = {
    runtime: parts.runtime,
    logs,
    builds: parts.builds,
    services: parts.services,
    redactorOf: (serviceId, { releaseId }) => workloadRedactor(parts, { serviceId, releaseId }),
    warn: ({ err }, message) => void warnings.push(`${message}: ${err instanceof Error ? err.message : err}`),
    lookEveryMs: 10,
    retryAfterMs: 10,
    ...changes,
  };
  const start = async (buildId: string): Promise<Workload> => {
    const spec = workloadSpec(IMAGE, {
      buildId,
      releaseId: buildId.replace('bld', 'rel'),
      service: 'shop',
      environment: 'prod',
    });
    await parts.builds.create(buildRecord({ id: buildId, service: 'shop', serviceId: 'svc_shop' }));
    return await parts.runtime.start(spec, { signal: new AbortController().signal, onLine: () => undefined });
  };
  const collect = (more: Partial<CollectDeps> = {}) => {
    const stop = new AbortController();
    const ended = collectOutput({ ...deps, ...more }, stop.signal);
    const stopped = (): Promise<void> => {
      stop.abort();
      return ended;
    };
    return { ended, stop: stopped };
  };
  const lines = async (): Promise<ServiceLogLine[]> => {
    const read = await logs.last(TARGET, { count: 1_000, matches: () => true });
    return read.lines.map(({ line }) => line);
  };
  const untilText = (text: string) =>
    waitUntil(`the line ${text}`, async () => (await lines()).some((line) => line.text === text));
  return { ...parts, deps, logs, warnings, start, collect, lines, untilText };
}

const textsOf = (lines: readonly ServiceLogLine[]) => lines.map(({ text }) => text);

/** Logs of a process that is killed right after its n-th append was written, or right before. */
function killedAt(logs: ServiceLogs, call: number, when: 'before' | 'after') {
  let calls = 0;
  const buried = Promise.withResolvers<never>();
  buried.promise.catch(() => undefined);
  const killed: ServiceLogs = {
    ...logs,
    async takeOver() {
      const writer = await logs.takeOver();
      return {
        ...writer,
        async open(target) {
          const log = await writer.open(target);
          return {
            ...log,
            async append(lines) {
              calls += 1;
              if (calls < call) return log.append(lines);
              if (calls === call && when === 'after') await log.append(lines);
              // It hears of nothing any more.
              return buried.promise;
            },
          };
        },
      };
    },
  };
  return { logs: killed, bury: () => buried.reject(new Error('killed')) };
}

describe('collecting what services print', () => {
  it('writes the lines of both streams with their release, finds new workloads, and forgets removed ones', async () => {
    const { runtime, start, collect, lines, untilText } = await served();
    const collector = collect();
    const first = await start('bld_1');
    runtime.print(first, 'one');
    runtime.print(first, 'two', 'error');
    await untilText('two');
    const second = await start('bld_2');
    runtime.print(second, 'three');
    await untilText('three');
    await runtime.remove(first, 0);
    runtime.print(second, 'four');
    await untilText('four');
    await collector.stop();
    assert.deepEqual(
      (await lines()).map(({ stream, release, text }) => [stream, release, text]),
      [
        ['out', 'rel_1', 'one'],
        ['error', 'rel_1', 'two'],
        ['out', 'rel_2', 'three'],
        ['out', 'rel_2', 'four'],
      ],
    );
  });

  it('a collector that stops has written what it read; the next one goes on without missing or repeating a line', async () => {
    const { runtime, start, collect, lines } = await served();
    const workload = await start('bld_1');
    for (let round = 0; round < 5; round += 1) {
      const collector = collect();
      for (let at = 0; at < 20; at += 1) runtime.print(workload, `${round} ${at}`, at % 3 === 0 ? 'error' : 'out');
      await waitUntil('some of the lines', async () => (await lines()).length > round * 20);
      await collector.stop();
      for (let at = 20; at < 25; at += 1) runtime.print(workload, `${round} ${at}`);
    }
    const last = collect();
    await waitUntil('all lines', async () => (await lines()).length >= 125);
    await last.stop();
    const wanted = Array.from({ length: 125 }, (_, index) => `${Math.floor(index / 25)} ${index % 25}`);
    assert.deepEqual(textsOf(await lines()), wanted);
  });

  for (const when of ['before', 'after'] as const) {
    it(`killed right ${when} a write, the next collector misses and repeats nothing`, async () => {
      for (let call = 1; call <= 4; call += 1) {
        const { runtime, logs, start, collect, lines } = await served();
        const workload = await start('bld_1');
        const grave = killedAt(logs, call, when);
        const killed = collect({ logs: grave.logs });
        for (let at = 0; at < 5; at += 1) {
          runtime.print(workload, `${at} out`);
          runtime.print(workload, `${at} error`, 'error');
          const least = Math.min(at + 1, when === 'after' ? call : call - 1);
          await waitUntil('a write', async () => (await lines()).length >= 2 * least);
        }
        const next = collect();
        await waitUntil('all lines', async () => (await lines()).length >= 10);
        runtime.print(workload, 'end');
        await waitUntil('the end', async () => textsOf(await lines()).includes('end'));
        await next.stop();
        grave.bury();
        await killed.stop();
        assert.deepEqual(
          textsOf(await lines()).sort(),
          [...Array.from({ length: 5 }, (_, at) => [`${at} error`, `${at} out`]).flat(), 'end'].sort(),
        );
      }
    });
  }

  it('a collector that was overtaken fails as CONFLICT and writes nothing more', async () => {
    const { runtime, start, collect, lines, untilText } = await served();
    const workload = await start('bld_1');
    const paused = collect();
    runtime.print(workload, 'one');
    await untilText('one');
    const next = collect();
    const conflict = assert.rejects(paused.ended, { code: 'CONFLICT' });
    runtime.print(workload, 'two');
    await conflict;
    await untilText('two');
    await next.stop();
    assert.deepEqual(textsOf(await lines()), ['one', 'two']);
  });

  it('takes out secrets of the service, of the release although changed since, of the platform, and by their shape', async () => {
    const shop = await served();
    const { services, releases, cipher, runtime, start, collect, untilText } = shop;
    const sealed = cipher.seal('canary-of-the-release', { service: 'shop', environment: 'prod', key: 'S' });
    await releases.put(
      releaseRecord({
        id: 'rel_1',
        service: 'shop',
        serviceId: 'svc_shop',
        environment: 'prod',
        secrets: { S: sealed },
      }),
    );
    const now = cipher.seal('canary-of-today', { service: 'shop', key: 'S' });
    await services.changeVariables('svc_shop', null, { config: {}, secrets: { S: now }, marks: {} });
    const workload = await start('bld_1');
    const collector = collect();
    runtime.print(workload, 'old canary-of-the-release end, new canary-of-today');
    // Split by what a terminal hides, and by the bound of a line.
    runtime.print(workload, 'hidden canary-of-\u001b[1mthe-release\u001b[0m end', 'error');
    runtime.print(workload, `${'x '.repeat(8_187)}canary-of-the-release`);
    runtime.print(workload, `${'y'.repeat(16_380)}canary-of-the-release`);
    runtime.print(workload, 'Authorization: Bearer abcdefghijklmnop');
    runtime.print(workload, 'end');
    await untilText('end');
    await collector.stop();
    const texts = textsOf(await shop.lines());
    assert.ok(texts.includes('old [REDACTED] end, new [REDACTED]') && texts.includes('hidden [REDACTED] end'));
    assert.ok(!texts.join('\n').match(/canar|abcdefghijklmnop/), texts.map((text) => text.slice(-60)).join('\n'));
    assert.equal(texts.filter((text) => text.endsWith('… (cut: the line is longer than 16 KiB)')).length, 2);
  });

  it('no command to a terminal and no control character is kept', async () => {
    const { runtime, start, collect, lines, untilText } = await served();
    const workload = await start('bld_1');
    const collector = collect();
    runtime.print(workload, '\u001b[31mred\u001b[0m \u001b]0;title\u0007bell\u0007 \u009b2J \u202eturned\ttab\u0000\r');
    runtime.print(workload, 'end');
    await untilText('end');
    await collector.stop();
    assert.equal((await lines())[0]?.text, 'red bell  turned\ttab');
  });

  it('of a workload that prints too fast, lines are left out and counted; another workload loses none', async () => {
    const shop = await served({ rate: { linesPerSecond: 10, bytesPerSecond: 10_000, burstSeconds: 2 } });
    const { runtime, start, collect } = shop;
    const [loud, quiet] = [await start('bld_1'), await start('bld_2')];
    for (let at = 0; at < 1_000; at += 1) runtime.print(loud, `loud ${at}`);
    for (let at = 0; at < 10; at += 1) runtime.print(quiet, `quiet ${at}`);
    const collector = collect();
    await waitUntil('the notice', async () => (await shop.lines()).some(({ dropped }) => dropped !== undefined));
    await collector.stop();
    const lines = await shop.lines();
    const kept = lines.filter(({ text }) => text.startsWith('loud')).length;
    const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
    assert.equal(kept + dropped, 1_000);
    assert.ok(kept >= 20 && kept < 200, `${kept} lines were kept`);
    assert.match(
      lines.find((line) => line.dropped !== undefined)?.text ?? '',
      /^\d+ lines were dropped: the service printed too fast$/,
    );
    assert.equal(lines.filter(({ text }) => text.startsWith('quiet')).length, 10);
    const again = shop.collect();
    runtime.print(quiet, 'end');
    await shop.untilText('end');
    await again.stop();
    assert.equal((await shop.lines()).length, lines.length + 1, 'what was dropped is not read again');
  });

  it('goes on when the engine, the database or the disk were away', async () => {
    const shop = await served();
    const { deps, runtime, builds, logs, start, collect, untilText } = shop;
    const workload = await start('bld_1');
    runtime.print(workload, 'one');
    let failures = 12;
    const failing = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return (...args: A): Promise<R> => {
        failures -= 1;
        return failures > 0 && failures % 2 === 0 ? Promise.reject(new Error('away')) : call(...args);
      };
    };
    const collector = collect({
      runtime: { ...deps.runtime, listAll: failing(runtime.listAll) },
      builds: { find: failing(builds.find) },
      logs: {
        ...logs,
        takeOver: async () => {
          const writer = await logs.takeOver();
          return { ...writer, open: failing(writer.open) };
        },
      },
    });
    await untilText('one');
    await waitUntil('all failures', () => failures < 0);
    runtime.print(workload, 'two');
    await untilText('two');
    await collector.stop();
    assert.deepEqual(textsOf(await shop.lines()), ['one', 'two']);
    assert.ok(shop.warnings.length > 0);
  });

  it('tries again after its time, also when the clock of the machine was set back meanwhile', {
    timeout: 30_000,
  }, async (t) => {
    const { deps, builds, runtime, start, collect, untilText } = await served();
    const workload = await start('bld_1');
    runtime.print(workload, 'one');
    const find = async (id: string) => {
      if (Date.now() > 86_400_000) {
        t.mock.timers.enable({ apis: ['Date'], now: 0 });
        throw new Error('away');
      }
      return builds.find(id);
    };
    const collector = collect({ ...deps, builds: { find } });
    t.after(() => collector.stop());
    await untilText('one');
  });

  it('logs of a service that a database which fails over does not show stay', async () => {
    const { services, runtime, logs, collect, start, untilText } = await served();
    const writer = await logs.takeOver();
    const log = await writer.open({ serviceId: 'svc_new', environment: 'prod' });
    await log.append([{ at: '1', stream: 'out', text: 'x', release: 'r', workload: 'w' }]);
    await log.close();
    const behind = await readBehind(services, ['svc_new']);
    await services.upsert({ id: 'svc_new', name: 'new', org: 'acme' }, {});
    const collector = collect({ services: behind });
    runtime.print(await start('bld_1'), 'one');
    await untilText('one');
    await collector.stop();
    assert.deepEqual((await logs.serviceIds()).toSorted(), ['svc_new', 'svc_shop']);
  });

  it('writes nothing of a workload that no record tells whose it is, and removes logs of services that are gone', async () => {
    const { runtime, logs, collect, untilText, start } = await served();
    const writer = await logs.takeOver();
    const gone = await writer.open({ serviceId: 'svc_gone', environment: 'prod' });
    await gone.append([{ at: '1', stream: 'out', text: 'x', release: 'r', workload: 'w' }]);
    await gone.close();
    const spec = workloadSpec(IMAGE, { buildId: 'bld_nobody', service: 'shop', environment: 'prod' });
    const nobody = await runtime.start(spec, { signal: new AbortController().signal, onLine: () => undefined });
    runtime.print(nobody, 'of nobody');
    const collector = collect();
    const workload = await start('bld_1');
    runtime.print(workload, 'one');
    await untilText('one');
    await collector.stop();
    assert.deepEqual(await logs.serviceIds(), ['svc_shop']);
  });
});
