import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { LABELS } from '../../../adapters/docker/labels.ts';
import { listeningSockets } from '../../../adapters/docker/listening-sockets.ts';
import { stopStack } from '../../../adapters/docker/stack-teardown.ts';
import type { WorkloadFirewall } from '../../../adapters/docker/workload-firewall.ts';
import { networkName } from '../../../adapters/docker/workload-names.ts';
import { createWorkloadRuntime } from '../../../adapters/docker/workload-runtime.ts';
import { POD_TIERS } from '../../../domain/catalog/pod-tiers.ts';
import type { Workload, WorkloadRuntime, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import {
  recordingContext,
  untilHealthy,
  WORKLOAD_PROGRAM,
  workloadRuntimeSuite,
  workloadSpec,
} from '../../ports/workload-runtime.ts';
import { patience } from '../../support/patience.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

const FILES = {
  'server.cjs': WORKLOAD_PROGRAM,
  Dockerfile: 'FROM node:24-alpine\nWORKDIR /app\nCOPY server.cjs .\nUSER 1001\nCMD ["node", "server.cjs"]\n',
};

let stack: TestStack;
let image: string;
let runtime: WorkloadRuntime;

const start = (changes: Partial<WorkloadSpec> = {}): Promise<Workload> =>
  runtime.start(workloadSpec(image, changes), recordingContext());

const factsSchema = z.object({
  uid: z.number(),
  status: z.string(),
  limits: z.string(),
  written: z.record(z.string(), z.string()),
  overSize: z.record(z.string(), z.string()),
});

const factsOf = async (workload: Workload) =>
  factsSchema.parse(await (await fetch(`${workload.address}/facts`)).json());

before(async () => {
  stack = await createTestStack();
  image = await stack.pushed('suite', FILES);
  const { stackId, registry } = stack;
  runtime = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date() });
});

after(() => stack.dispose());

workloadRuntimeSuite(() => ({
  name: 'docker',
  runtime,
  image,
  cpuMillis: cpuMillisOf,
  stop: async ({ id }) => void (await docker.getContainer(id).stop({ t: 0 })),
}));

/** The CPU limit that holds for the workload's own process, as its control group has it. */
async function cpuMillisOf({ address }: Workload): Promise<number> {
  return Number(await (await fetch(`${address}/cpu`)).text());
}

describe('Docker workloads: isolation', () => {
  it('limits, labels and restrictions stand in the container', async () => {
    const spec = workloadSpec(image, { tier: POD_TIERS.nano });
    const workload = await runtime.start(spec, recordingContext());
    const { HostConfig: host, Config: config, Name: name } = await docker.getContainer(workload.id).inspect();
    assert.equal(host.NanoCpus, 1e9);
    assert.equal(host.Memory, 256 * 1024 ** 2);
    assert.equal(host.MemorySwap, host.Memory);
    assert.equal(host.PidsLimit, 512);
    assert.equal(host.ReadonlyRootfs, true);
    assert.deepEqual(host.CapDrop, ['ALL']);
    assert.deepEqual(host.SecurityOpt, ['no-new-privileges:true']);
    assert.equal(host.Init, true);
    assert.equal(host.RestartPolicy?.Name, 'unless-stopped');
    assert.deepEqual(host.LogConfig, { Type: 'json-file', Config: { 'max-file': '3', 'max-size': '10m' } });
    assert.equal(host.NetworkMode, networkName(stack.stackId));
    assert.equal(config.User, '1001');
    const port = new URL(workload.address).port;
    assert.deepEqual(host.PortBindings, { '3000/tcp': [{ HostIp: '127.0.0.1', HostPort: port }] });
    assert.ok(Number(port) >= 20_000 && Number(port) <= 29_999);
    const { build, release, service, environment, hostPort, nanoCpus, stack: stackLabel } = LABELS;
    assert.equal(config.Labels[nanoCpus], '250000000');
    const wanted = { [build]: spec.buildId, [release]: spec.releaseId, [service]: 'suite', [environment]: 'sandbox' };
    assert.deepEqual({ ...config.Labels, ...wanted, [hostPort]: port, [stackLabel]: stack.stackId }, config.Labels);
    assert.equal(name, `/fl-${stack.stackId}-suite-sandbox-${spec.buildId.slice(4)}`);
    await runtime.remove(workload, 1);
  });

  it('the process has a numeric user, no capabilities, no new privileges, and bounds', async () => {
    const workload = await start();
    await untilHealthy(runtime, workload);
    const facts = await factsOf(workload);
    assert.equal(facts.uid, 1001);
    assert.match(facts.status, /^CapEff:\s+0+$/m);
    assert.match(facts.status, /^CapBnd:\s+0+$/m);
    assert.match(facts.status, /^NoNewPrivs:\s+1$/m);
    assert.match(facts.limits, /^Max open files +16384 +16384 /m);
    assert.match(facts.limits, /^Max core file size +0 +0 /m);
    await runtime.remove(workload, 1);
  });

  it('it writes to temporary folders of a bounded size alone, to those of VOLUMEs and the catalog as well', async () => {
    const Dockerfile = FILES.Dockerfile.replace(
      'USER 1001\n',
      'RUN mkdir /volume && chmod 777 /volume\nVOLUME /volume\nUSER 1001\n',
    );
    const withVolume = await stack.pushed('volume', { ...FILES, Dockerfile });
    const spec = workloadSpec(withVolume, { writablePaths: ['data'] });
    const workload = await runtime.start(spec, recordingContext());
    await untilHealthy(runtime, workload);
    const again = await runtime.start({ ...spec, writablePaths: ['data', '/made/later'] }, recordingContext());
    assert.notEqual(again.id, workload.id, 'made anew with the folder that it lacks');
    await untilHealthy(runtime, again);
    const { written, overSize } = await factsOf(again);
    const temporary = ['/tmp', '/run', '/var/tmp', '/var/cache/nginx', '/volume', '/app/data'];
    const expected = (outcome: string) => ({
      ...Object.fromEntries(temporary.map((path) => [path, outcome])),
      ...{ '/app': 'EROFS', '/home': 'EROFS' },
    });
    assert.deepEqual([written, overSize], [expected('written'), expected('ENOSPC')]);
    const { Mounts } = await docker.getContainer(again.id).inspect();
    assert.deepEqual(
      Mounts.filter(({ Type }) => Type !== 'tmpfs'),
      [],
      'nothing of it is on the disk of this machine',
    );
    await runtime.remove(again, 1);
  });

  it('an image of root runs as user 1001 and says so', async () => {
    const rootImage = await stack.pushed('rooted', {
      ...FILES,
      Dockerfile: FILES.Dockerfile.replace('USER 1001\n', ''),
    });
    const context = recordingContext();
    const workload = await runtime.start(workloadSpec(rootImage, { readOnlyRoot: false }), context);
    await untilHealthy(runtime, workload);
    const facts = await factsOf(workload);
    assert.equal(facts.uid, 1001);
    assert.match(context.lines.join('\n'), /user is "root"; it runs as 1001:1001/);
    await runtime.remove(workload, 1);
  });

  it('workloads of a stack do not reach each other', async () => {
    const [one, two] = [await start(), await start()];
    await untilHealthy(runtime, one);
    await untilHealthy(runtime, two);
    const { NetworkSettings } = await docker.getContainer(two.id).inspect();
    const address = NetworkSettings.Networks[networkName(stack.stackId)]?.IPAddress;
    assert.ok(address);
    const answer = await fetch(`${one.address}/reach/${address}:3000`);
    assert.equal(await answer.text(), 'not reached');
    const itself = await fetch(`${one.address}/reach/127.0.0.1:3000`);
    assert.equal(await itself.text(), 'reached');
    await Promise.all([one, two].map((workload) => runtime.remove(workload, 1)));
  });

  it('more CPUs than the engine has are cut down with a warning', async () => {
    const { NCPU } = await docker.info();
    const tier = { ...POD_TIERS.small, cpuLimitMillis: NCPU * 1_000 + 1_000 };
    const context = recordingContext();
    const workload = await runtime.start(workloadSpec(image, { tier }), context);
    await runtime.applyCpuLimit(workload);
    const { HostConfig } = await docker.getContainer(workload.id).inspect();
    assert.equal(HostConfig.NanoCpus, NCPU * 1e9);
    assert.match(context.lines.join('\n'), /the engine has/);
    await runtime.remove(workload, 1);
  });
});

describe('Docker workloads: CPU until they are ready', () => {
  const nanoCpusOf = async ({ id }: Workload) => (await docker.getContainer(id).inspect()).HostConfig.NanoCpus;

  it('a small tier starts with one CPU, a large one with its own', async () => {
    const { NCPU } = await docker.info();
    for (const [tier, cpus] of [
      [POD_TIERS.nano, 1],
      [POD_TIERS.large, 2],
    ] as const) {
      const workload = await start({ tier });
      assert.equal(await nanoCpusOf(workload), Math.min(cpus, NCPU) * 1e9);
      await runtime.remove(workload, 1);
    }
  });

  it('applyCpuLimit changes nothing but the CPU limit', async () => {
    const workload = await start({ tier: POD_TIERS.nano });
    const before = await docker.getContainer(workload.id).inspect();
    await runtime.applyCpuLimit(workload);
    const after = await docker.getContainer(workload.id).inspect();
    assert.deepEqual(after.HostConfig, { ...before.HostConfig, NanoCpus: 250_000_000 });
    assert.equal(after.State.StartedAt, before.State.StartedAt);
    await runtime.remove(workload, 1);
  });

  it('a workload that stopped before it was ready gets its CPU limit, and resumes within its tier', async () => {
    const workload = await start({ tier: POD_TIERS.nano });
    await stopStack(docker, stack.stackId);
    await runtime.applyCpuLimit(workload);
    const resumed = await runtime.resume(workload, patience());
    await untilHealthy(runtime, resumed);
    assert.equal(await cpuMillisOf(resumed), POD_TIERS.nano.cpuLimitMillis);
    await runtime.remove(resumed, 1);
  });

  it('resumes nothing while the machine cannot be kept from it; many at once set the firewall once', async () => {
    const workload = await start();
    await docker.getContainer(workload.id).stop({ t: 0 });
    const { stackId, registry } = stack;
    let renewed = 0;
    let works = false;
    const firewall: WorkloadFirewall = {
      gate: null,
      renew: async () => {
        renewed += 1;
        await setImmediate();
        if (!works) throw new Error('no iptables');
      },
      remove: async () => undefined,
    };
    const guarded = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date(), firewall });
    const resume = () => guarded.resume(workload, patience());
    await assert.rejects(resume(), { code: 'UNAVAILABLE', retryable: true });
    assert.equal((await docker.getContainer(workload.id).inspect()).State.Running, false);
    works = true;
    renewed = 0;
    const [resumed] = await Promise.all(Array.from({ length: 20 }, resume));
    assert.equal(renewed, 1);
    assert.equal(resumed?.running, true);
    await runtime.remove(workload, 0);
  });

  it('after a restart of the machine the engine starts none by itself, before the firewall is set', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-gate-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const gate = join(folder, 'firewall-is-set');
    const firewall: WorkloadFirewall = {
      gate,
      renew: () => writeFile(gate, ''),
      remove: async () => undefined,
    };
    const { stackId, registry } = stack;
    const guarded = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date(), firewall });
    const workload = await guarded.start(workloadSpec(image), recordingContext());
    const inspect = () => docker.getContainer(workload.id).inspect();
    const end = async () => process.kill((await inspect()).State.Pid, 'SIGKILL');
    // Its policy starts it again as long as the rules are there.
    await end();
    await waitUntil('a restart', async () => (await inspect()).RestartCount === 1 && (await inspect()).State.Running);
    await rm(gate);
    await end();
    await waitUntil('its end', async () => (await inspect()).State.Error.includes(gate) || null);
    assert.equal((await inspect()).State.Running, false);
    await assert.rejects(docker.getContainer(workload.id).start(), (error) => String(error).includes(gate));
    const resumed = await guarded.resume(workload, patience());
    assert.deepEqual([resumed.id, resumed.running], [workload.id, true]);
    await untilHealthy(guarded, resumed);
    await runtime.remove(resumed, 1);
  });

  it('is made anew where its gate is not today’s, the same in all else, and where there is none any more', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-gate-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const { stackId, registry } = stack;
    const behind = (name: string | null): WorkloadRuntime => {
      const gate = name === null ? null : join(folder, name);
      const renew = async () => (gate === null ? undefined : await writeFile(gate, ''));
      const firewall: WorkloadFirewall = { gate, renew, remove: async () => undefined };
      return createWorkloadRuntime({ docker, stackId, registry, now: () => new Date(), firewall });
    };
    const inspect = ({ id }: Workload) => docker.getContainer(id).inspect();
    const stop = async ({ id }: Workload) => void (await docker.getContainer(id).stop({ t: 0 }));
    const first = await behind('earlier').start(workloadSpec(image), recordingContext());
    const before = await inspect(first);
    await stop(first);
    await rm(join(folder, 'earlier'));
    const moved = await behind('today').resume(first, patience());
    await untilHealthy(runtime, moved);
    const after = await inspect(moved);
    assert.deepEqual({ ...moved, id: first.id }, first);
    assert.deepEqual(
      after.HostConfig.Mounts?.map(({ Source }) => Source),
      [join(folder, 'today')],
    );
    assert.deepEqual({ ...after.HostConfig, Mounts: null }, { ...before.HostConfig, Mounts: null });
    const { Hostname: _, ...config } = after.Config;
    const { Hostname: __, ...configBefore } = before.Config;
    assert.deepEqual(config, configBefore);
    assert.equal((await behind('today').resume(moved, patience())).id, moved.id, 'what runs stays');
    await stop(moved);
    await rm(join(folder, 'today'));
    const without = await behind(null).resume(moved, patience());
    await untilHealthy(runtime, without);
    assert.deepEqual((await inspect(without)).HostConfig.Mounts ?? [], []);
    await stop(without);
    const again = await behind('today').resume(without, patience());
    assert.deepEqual(
      (await inspect(again)).HostConfig.Mounts?.map(({ Source }) => Source),
      [join(folder, 'today')],
    );
    await runtime.remove(again, 1);
  });

  it('shares the CPU with the other workloads of its org, and not with those of another one', async () => {
    const workloads = [await start(), await start(), await start({ org: 'other' })];
    const groups = await Promise.all(
      workloads.map(async ({ id }) => {
        const { State } = await docker.getContainer(id).inspect();
        const text = await readFile(`/proc/${State.Pid}/cgroup`, 'utf8');
        return /:cpu[^:]*:(.*)\/|^0::(.*)\//m.exec(text)?.[1];
      }),
    );
    const groupOf = (org: string) => `/fairlead-${stack.stackId}-workloads/org.${org}`;
    assert.deepEqual(groups, [groupOf('acme'), groupOf('acme'), groupOf('other')]);
    for (const workload of workloads) await runtime.remove(workload, 0);
  });

  it('a process that keeps ending gets its CPU limit while it restarts', async () => {
    const workload = await start({ tier: POD_TIERS.nano, env: { MODE: 'exit' } });
    await waitUntil('a restart', async () => ((await runtime.isAlive(workload)) ? null : true));
    await runtime.applyCpuLimit(workload);
    assert.equal(await nanoCpusOf(workload), 250_000_000);
    await runtime.remove(workload, 1);
  });

  it('removing a workload and applying its CPU limit at the same time is no error', async () => {
    const workload = await start({ tier: POD_TIERS.nano });
    await Promise.all([runtime.remove(workload, 0), runtime.applyCpuLimit(workload)]);
    assert.equal(await runtime.isAlive(workload), false);
  });
});

describe('Docker workloads: where they listen', () => {
  it('is read by the image of the workload where its process is not of this machine, and not known without a program', async () => {
    const workload = await start({ env: { MODE: 'elsewhere' } });
    const container = await docker.getContainer(workload.id).inspect();
    const elsewhere = { ...container, State: { ...container.State, Pid: process.pid } };
    await waitUntil('a socket', async () => ((await runtime.listening(workload))?.length === 1 ? true : null));
    const found = [{ host: '0.0.0.0', port: 8080 }];
    for (const seen of [container, elsewhere]) assert.deepEqual(await listeningSockets(docker, seen), found);
    await docker.getContainer(workload.id).stop({ t: 0 });
    assert.equal(await listeningSockets(docker, elsewhere), null);
    await runtime.remove(workload, 1);
  });
});

describe('Docker workloads: recovery', () => {
  it('a container that an attempt created but did not start is made anew', async () => {
    const spec = workloadSpec(image);
    const first = await runtime.start(spec, recordingContext());
    await docker.getContainer(first.id).stop({ t: 0 });
    const second = await runtime.start(spec, recordingContext());
    assert.notEqual(second.id, first.id);
    assert.equal(await runtime.isAlive(first), false);
    await untilHealthy(runtime, second);
    await runtime.remove(second, 1);
  });

  it('a missing image is pulled by its digest', async () => {
    const digest = await stack.pushed('pulled', { ...FILES, extra: 'pulled' });
    const { Id } = await docker.getImage(digest).inspect();
    await docker.getImage(Id).remove({ force: true });
    const workload = await start({ image: digest });
    await untilHealthy(runtime, workload);
    await runtime.remove(workload, 1);
  });

  it('a container that the engine cannot start is INSTALL_FAILED and leaves no container', async () => {
    // Its working directory is a file, which the engine finds out at the start.
    const unstartable = await stack.pushed('unstartable', {
      Dockerfile: 'FROM alpine\nWORKDIR /place\nRUN cd / && rmdir /place && touch /place\nUSER 1001\n',
    });
    await assert.rejects(start({ image: unstartable, service: 'unstartable' }), {
      code: 'INSTALL_FAILED',
      message: /\/place/,
    });
    assert.deepEqual(await runtime.list('unstartable', 'sandbox'), []);
  });

  it('a command that does not exist ends its workload, whose tail names the command', async () => {
    const broken = await stack.pushed('broken', {
      Dockerfile: 'FROM alpine\nUSER 1001\nENTRYPOINT ["/none/x"]\n',
    });
    const workload = await start({ image: broken, service: 'broken' });
    await waitUntil('the end', async () => ((await runtime.isAlive(workload)) ? null : true));
    // Between two ends it runs for a moment, and its tail says only that it was restarted.
    const tail = await waitUntil('how it ended', async () => {
      const lines = (await runtime.tail(workload, 20)).join('\n');
      return lines.includes('exit code 127') ? lines : null;
    });
    assert.match(tail, /\/none\/x.*No such file or directory/);
    await runtime.remove(workload, 1);
    assert.deepEqual(await runtime.list('broken', 'sandbox'), []);
  });

  it('a stopped stack resumes its workloads at the same addresses', async () => {
    const workloads = [await start(), await start()];
    await stopStack(docker, stack.stackId);
    assert.ok((await runtime.list('suite', 'sandbox')).every(({ running }) => !running));
    for (const workload of workloads) {
      const resumed = await runtime.resume(workload, patience());
      assert.deepEqual(resumed, workload);
      await untilHealthy(runtime, resumed);
      assert.deepEqual(await runtime.resume(workload, patience()), workload);
      await runtime.remove(resumed, 1);
    }
  });

  it('a workload whose port was taken meanwhile resumes on another one', async () => {
    const workload = await start();
    await stopStack(docker, stack.stackId);
    const squatter = createServer().listen(Number(new URL(workload.address).port), '127.0.0.1');
    await once(squatter, 'listening');
    const resumed = await runtime.resume(workload, patience());
    squatter.close();
    assert.notEqual(resumed.address, workload.address);
    assert.equal(resumed.releaseId, workload.releaseId);
    assert.equal((await untilHealthy(runtime, resumed)).commit, 'c0ffee');
    assert.equal((await runtime.list('suite', 'sandbox')).length, 1);
    await runtime.remove(resumed, 1);
  });
});
