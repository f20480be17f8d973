import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { createBaseImages, pullImage } from '../../../adapters/docker/base-images.ts';
import type { BuildEngine } from '../../../adapters/docker/build-engine/build-engine.ts';
import { copyImage } from '../../../adapters/docker/build-engine/copy-image.ts';
import { inspectContainer } from '../../../adapters/docker/inspect-container.ts';
import { LABELS } from '../../../adapters/docker/labels.ts';
import { stopStack } from '../../../adapters/docker/stack-teardown.ts';
import { buildEngineName, buildRelayName } from '../../../adapters/docker/workload-names.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { dropCaches, linkCaches, toolMounts } from '../../../domain/deploys/container-file/build-caches.ts';
import { checkSources } from '../../../domain/deploys/container-file/check-sources.ts';
import type { ImageBuilder, ImageBuildInput } from '../../../domain/deploys/image-builder.ts';
import { buildFailure, imageBuilderSuite, SMALL_IMAGE } from '../../ports/image-builder.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { freePort } from '../../support/free-port.ts';
import { patience } from '../../support/patience.ts';
import { portAttack } from '../../support/port-attack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestEngine, createTestStack, docker, type TestStack, testStandIns } from './engine-fixture.ts';

const MIB = 1024 ** 2;
const CAP_NET_RAW = 13n;
const LIMITS = buildLimits(
  { processes: 200, memoryBytes: 1024 * MIB, diskBytes: 1024 * MIB, builds: 2 },
  4 * 1024 * MIB,
);

const addresses = Object.values(networkInterfaces())
  .flatMap((rows) => rows ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);
const [machine = ''] = addresses;

let stack: TestStack;
let engine: BuildEngine;
let builder: ImageBuilder;
let registryDown = '';

before(async () => {
  stack = await createTestStack();
  registryDown = `localhost:${await freePort()}`;
  ({ engine, builder } = await createTestEngine(stack, { limits: LIMITS }));
});

after(() => stack.dispose());

/** A command that succeeds when a port takes a connection. */
const connects = (host: string, port: number | undefined): string => `nc -w 2 ${host} ${port} < /dev/null > /dev/null`;

/** Not answered out of the build cache. */
const anew = (): string => `: ${randomBytes(4).toString('hex')}`;

const outputOf = async (input: ImageBuildInput): Promise<string> => {
  const context = recordingContext(patience());
  await builder.build(input, context);
  return context.lines.join('\n');
};
const outputOfRun = async (...runs: string[]): Promise<string> =>
  outputOf(
    await stack.input('app', { Dockerfile: ['FROM alpine', ...runs.map((run) => `RUN ${run}; ${anew()}`)].join('\n') }),
  );

imageBuilderSuite(() => ({ builder, registry: stack.registry.address, registryDown, input: stack.input }));

describe('caches of builds', () => {
  const caches = [{ id: 'tool', folder: 'out/cache' }];
  /** A build whose tool removes its folder, looks into its cache and adds to it. */
  const buildOf = async (service: string, limitKib?: number): Promise<string> => {
    const tool = `rm -rf out/made; ls out/cache; touch out/cache/kept; ${anew()}`;
    const written = [
      'FROM alpine',
      'WORKDIR /app',
      `RUN ${anew()}`,
      ...linkCaches(caches),
      `RUN ${toolMounts(caches)}${tool}`,
      `RUN ${toolMounts(caches)}${dropCaches(caches, limitKib)}; ls -l out; ${anew()}`,
    ].join('\n');
    const policy = { registry: 'localhost:5050', repository: '', cacheScope: `svc_${service}/prod`, fileName: 'f' };
    const output = await outputOf(await stack.input(service, { Dockerfile: checkSources(written, policy).text }));
    assert.doesNotMatch(output, /cache -> /, 'no link is left');
    return output;
  };

  it("are there for the service's next build, and for no other service", async () => {
    assert.doesNotMatch(await buildOf('first'), /^#\d+ [\d.]+ kept$/m);
    assert.match(await buildOf('first'), /^#\d+ [\d.]+ kept$/m);
    assert.doesNotMatch(await buildOf('second'), /^#\d+ [\d.]+ kept$/m);
  });

  it('are emptied when they hold more than a service may keep', async () => {
    await buildOf('full', -1);
    assert.doesNotMatch(await buildOf('full'), /^#\d+ [\d.]+ kept$/m);
  });
});

describe('the control groups of the engine of builds', () => {
  it('a RUN instruction is among those of the builds of the stack from its first program', async () => {
    const output = await outputOfRun('head -n 20 /proc/self/cgroup');
    const groups = [...output.matchAll(/\d+:(?:cpu|pids|memory)[^:]*:(\S+)/g)].map(([, group = '']) => group);
    const own = new RegExp(`^/fairlead-${stack.stackId}/(starting/buildkit|org\\.acme/bld_)`);
    assert.ok(groups.length > 0 && groups.every((group) => own.test(group)), output);
  });
});

describe('what RUN instructions reach in the engine of builds', () => {
  it('no port of this machine: not on its loopback, not on all its addresses, not by the gateway or by a proxy', async (t) => {
    const ports: number[] = [];
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const server = createServer((socket) => socket.destroy());
      t.after(() => server.close());
      await once(server.listen(0, host), 'listening');
      ports.push((server.address() as AddressInfo).port);
    }
    const attacked = [...ports, Number(new URL(`http://${stack.registry.address}`).port), 3129];
    const files = { 'attack.mjs': portAttack(attacked) };
    const Dockerfile = `FROM node:24-alpine\nCOPY attack.mjs /\nRUN node /attack.mjs; ${anew()}\n`;
    const output = await outputOf(await stack.input('attacker', { ...files, Dockerfile }));
    assert.match(output, /gateways: 1\n(?:.*\n)*.*tried 36, reached 0/);
    assert.match(output, /metadata: HTTP\/1\.1 403 Forbidden/);
    const own = Object.values(networkInterfaces()).flatMap((rows) => rows ?? []);
    const addresses = own
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const tries = [...addresses, '169.254.169.254', '10.0.0.1'].map(
      (host) => `{ ${connects(host, ports[1])} && echo REA""CHED ${host}; } &`,
    );
    const control = `${connects('172.17.0.1', 3128)} && echo con""trol`;
    const tried = await outputOfRun(`${control}; ${tries.join(' ')} wait`);
    assert.match(tried, /control/);
    assert.doesNotMatch(tried, /REACHED/);
  });

  it('package registries: with the proxy, and by programs that know of none', async () => {
    const app = { 'package.json': JSON.stringify({ name: 'app', dependencies: { 'is-odd': '3.0.1' } }) };
    const install = 'npm install --no-audit --no-fund && node test.mjs && rm -rf node_modules package-lock.json';
    const test = "import 'is-odd'; console.log(process.env.HTTP_PROXY === undefined ? 'without it' : 'by the proxy');";
    const without = 'env -u HTTP_PROXY -u HTTPS_PROXY -u http_proxy -u https_proxy';
    const Dockerfile = `FROM node:24-alpine\nWORKDIR /app\nCOPY . .\nRUN ${install}; ${anew()}\nRUN ${without} sh -c '${install}'\n`;
    const output = await outputOf(await stack.input('app', { ...app, 'test.mjs': test, Dockerfile }));
    assert.match(output, /by the proxy/);
    assert.match(output, /without it/);
  });

  it('no other name: what the proxy refuses, what has no dot, and other ports end at once', async () => {
    const names = ['localhost.', 'metadata.google.internal', 'single'];
    const output = await outputOfRun(
      ...names.map((name) => `wget -q -T 5 -O - http://${name}/ && echo REA""CHED ${name}; true`),
      `${connects('registry.npmjs.org', 22)} && echo REA""CHED 22; true`,
    );
    assert.doesNotMatch(output, /REACHED/);
  });

  it('no other build that runs at that moment', async () => {
    const port = 4321;
    const serving = await stack.input('serving', {
      Dockerfile: `FROM alpine\nRUN nc -ll -p ${port} -e echo hello & until ${connects('127.0.0.1', port)}; do sleep 0.1; done; echo ser""ving; sleep 300; ${anew()}\n`,
    });
    const listens = Promise.withResolvers<void>();
    const end = new AbortController();
    const onLine = (line: string): void => {
      if (line.includes('serving')) listens.resolve();
    };
    const other = assert.rejects(builder.build(serving, { signal: end.signal, onLine }), /seen enough/);
    await Promise.race([listens.promise, other]);
    // Its own address is among them, where nothing listens.
    const peers = Array.from({ length: 20 }, (_, index) => `172.17.0.${index + 2}`);
    const output = await outputOfRun(
      `for peer in ${peers.join(' ')}; do { ${connects('$peer', port)} && echo REA""CHED; } & done; wait; echo tri""ed`,
    );
    end.abort(new Error('seen enough'));
    await other;
    assert.match(output, /tried/);
    assert.doesNotMatch(output, /REACHED/);
  });

  it('packets of their own making: not in the name of other builds', async () => {
    const output = await outputOfRun('grep -E "^Cap(Eff|Bnd)" /proc/self/status');
    const sets = [...output.matchAll(/Cap(?:Eff|Bnd):\s+([0-9a-f]{16})/g)].map(([, set]) => BigInt(`0x${set}`));
    assert.equal(sets.length, 2);
    for (const set of sets) assert.equal(set & (1n << CAP_NET_RAW), 0n);
  });

  it('the loopback of the engine, where its proxy and the way to the registry are: what comes from the bridge gets no answer', async () => {
    const { docker: engines } = await engine.open(recordingContext());
    await testStandIns(engines).provide('alpine:latest');
    const { port } = new URL(`http://${stack.registry.address}`);
    // What a step would do by raw packets, here by the routes of a container that may set them.
    const route = [
      'ip route del table local 127.0.0.1 dev lo; ip route del table local 127.0.0.0/8 dev lo',
      'ip route add 127.0.0.0/8 via 172.17.0.1 src $(hostname -i)',
    ];
    const received = 'awk "/^Ip: [0-9]/ { print \\$4 }" /proc/net/snmp';
    const attempts = [
      ...[port, '3129'].map((at) => `nc -w 1 127.0.0.1 ${at} < /dev/null`),
      `echo "answers: $(${received})"`,
      `nc -w 2 172.17.0.1 3128 < /dev/null && echo "control: $(${received})"`,
    ];
    const container = await engines.createContainer({
      ...{ Image: 'alpine:latest', Cmd: ['sh', '-c', [...route, ...attempts].join('; ')], Tty: true },
      HostConfig: { CapAdd: ['NET_ADMIN'] },
    });
    try {
      await container.start();
      await container.wait();
      const said = (await container.logs({ stdout: true, stderr: true, follow: false })).toString();
      assert.match(said, /answers: 0\s+control: [1-9]/);
    } finally {
      await container.remove({ force: true });
    }
  });

  it('the engine itself: a registry leads it to no address of this machine', async (t) => {
    const seen: string[] = [];
    const inner = createHttpServer((_request, response) => {
      seen.push('inner');
      response.end('{}');
    });
    const leading = createHttpServer((request, response) => {
      seen.push('leading');
      if (request.url === '/v2/') return response.end('{}');
      const { port } = inner.address() as AddressInfo;
      // Whatever way the engine has: its own loopback, or the address of this machine by its proxy.
      const host = request.url?.includes('/x/') ? 'localhost' : machine;
      return response.writeHead(307, { location: `http://${host}:${port}/` }).end();
    });
    t.after(() => [inner, leading].map((server) => server.close()));
    await once(inner.listen(0, '0.0.0.0'), 'listening');
    await once(leading.listen(0, '127.0.0.1'), 'listening');
    const registry = { address: `localhost:${(leading.address() as AddressInfo).port}` };
    const other = await createTestStack(registry.address);
    t.after(() => other.dispose());
    const { engine: led } = await createTestEngine({ ...other, registry });
    const { docker: engines } = await led.open(recordingContext());
    for (const image of ['x', 'y']) {
      await assert.rejects(pullImage(engines, `${registry.address}/${image}:1`, registry, patience()));
    }
    assert.ok(seen.includes('leading'));
    assert.ok(!seen.includes('inner'));
  });
});

describe('images of the engine of builds', () => {
  it('whose registry the proxy of builds refuses: the error names the variable that opens it', async () => {
    const input = await stack.input('inside', { Dockerfile: 'FROM registry.corp.invalid:5000/base:1\n' });
    const message = /Forbidden.*at another port than 80 and 443, in BUILD_REGISTRIES/;
    await assert.rejects(builder.build(input, recordingContext()), { code: 'BASE_IMAGE_UNAVAILABLE', message });
  });

  it('run in the engine of the machine, by the registry', async () => {
    const input = await stack.input('served', SMALL_IMAGE);
    const { imageId } = await builder.build(input, recordingContext());
    const { digest } = await builder.push(input.tag, recordingContext());
    await pullImage(docker, digest, stack.registry, patience());
    assert.equal((await docker.getImage(digest).inspect()).Id, imageId);
    const unused = await builder.prune(async () => false, patience());
    assert.ok(unused.removed.includes(input.tag), 'it goes from both engines');
    await assert.rejects(docker.getImage(digest).inspect(), { statusCode: 404 });
  });

  it('go as well when the engine stopped with its stack, as after a reboot', async () => {
    const input = await stack.input('stopped', { ...SMALL_IMAGE, file: 'of a stopped engine' });
    await builder.build(input, recordingContext());
    await stopStack(docker, stack.stackId);
    const { removed } = await builder.prune(async ({ buildId }) => buildId !== input.buildId, patience());
    assert.deepEqual(removed, [input.tag]);
  });

  it('go as well from a volume that the operator named', async (t) => {
    const other = await createTestStack();
    const volume = `fairlead-${other.stackId}`;
    t.after(async () => {
      await other.dispose();
      await docker.getVolume(volume).remove();
    });
    const named = await createTestEngine(other, { volume });
    const input = await other.input('named', SMALL_IMAGE);
    await named.builder.build(input, recordingContext());
    await stopStack(docker, other.stackId);
    assert.deepEqual((await named.builder.prune(async () => false, patience())).removed, [input.tag]);
  });

  it('those that builds began from go a month after they were pulled, and come back when one needs them', async () => {
    const base = 'alpine:latest';
    // In the engine of the machine too, where pruning the engine of builds is to leave it.
    await testStandIns().provide(base);
    const build = async () => builder.build(await stack.input('based', SMALL_IMAGE), recordingContext());
    const prunedAfter = async (days: number) => {
      const later = () => new Date(Date.now() + days * 24 * 60 * 60_000);
      const { builder: pruning } = await createTestEngine(stack, { now: later });
      return (await pruning.prune(async () => true, patience())).removed;
    };
    await build();
    assert.ok(!(await prunedAfter(29)).includes(base));
    assert.ok((await prunedAfter(31)).includes(base));
    assert.equal(
      (await docker.getImage(base).inspect()).RepoTags.includes(base),
      true,
      'not from the engine of the machine',
    );
    await build();
  });

  it('stay in both engines while a workload of the machine uses them', async () => {
    const input = await stack.input('used', { ...SMALL_IMAGE, file: 'used' });
    await builder.build(input, recordingContext());
    const { digest } = await builder.push(input.tag, recordingContext());
    await pullImage(docker, digest, stack.registry, patience());
    const container = await docker.createContainer({ Image: digest });
    try {
      const { removed } = await builder.prune(async () => false, patience());
      assert.ok(!removed.includes(input.tag));
      assert.equal((await builder.push(input.tag, recordingContext())).digest, digest);
    } finally {
      await container.remove({ force: true });
    }
  });

  it('one that a version without such an engine built in the engine of the machine is pushed from there', async () => {
    const input = await stack.input('before', { ...SMALL_IMAGE, file: 'before the upgrade' });
    await stack.builder.build(input, recordingContext());
    const { digest } = await builder.push(input.tag, recordingContext());
    assert.match(digest, /@sha256:/);
  });

  it('an image that the operator loaded and allows is brought to the engine', async () => {
    const name = `loaded-${stack.stackId}`;
    const made = await stack.input('loaded', { ...SMALL_IMAGE, file: 'of the operator' });
    await stack.builder.build(made, recordingContext());
    await docker.getImage(made.tag).tag({ repo: name, tag: '1' });
    const baseImages = (engines: typeof docker) =>
      createBaseImages({
        ...{ docker: engines, standIns: testStandIns(engines), registry: stack.registry, now: () => new Date() },
        localImages: [`${name}:1`],
        bringLocal: (image, signal) => copyImage(image, { from: docker, to: engines }, signal),
      });
    const { builder: allowing } = await createTestEngine(stack, { baseImages });
    const input = await stack.input('allowed', { Dockerfile: `FROM ${name}:1\nRUN cat /file; ${anew()}\n` });
    const context = recordingContext();
    await allowing.build(input, context);
    assert.match(context.lines.join('\n'), /of the operator/);
    const refused = await buildFailure(builder, await stack.input('refused', { Dockerfile: `FROM ${name}:1\n` }));
    assert.equal(refused.code, 'BASE_IMAGE_UNAVAILABLE');
  });
});

describe('the engine of builds', () => {
  it('holds RUN instructions to the limits of their build', async () => {
    const bomb = 'i=0; while [ $i -lt 900 ]; do sleep 300 & i=$((i+1)); done; wait';
    const error = await buildFailure(
      builder,
      await stack.input('bomb', { Dockerfile: `FROM alpine\nRUN ${bomb}; ${anew()}\n` }),
    );
    assert.deepEqual([error.code, error.details], ['BUILD_LIMIT_EXCEEDED', { limit: 'processes', bound: 200 }]);
  });

  const cached = async (): Promise<boolean> => {
    const input = await stack.input('cached', { Dockerfile: 'FROM alpine\nRUN echo of the cache\n' });
    return /CACHED/.test(await outputOf(input));
  };

  it('keeps its cache when it stopped with its stack, was killed, or lost its relay', async () => {
    await cached();
    await stopStack(docker, stack.stackId);
    assert.equal((await docker.getContainer(buildEngineName(stack.stackId)).inspect()).State.Running, false);
    assert.equal(await cached(), true);
    await docker.getContainer(buildEngineName(stack.stackId)).kill();
    assert.equal(await cached(), true);
    await docker.getContainer(buildRelayName(stack.stackId)).remove({ force: true });
    assert.equal(await cached(), true);
    await docker.getContainer(buildRelayName(stack.stackId)).restart();
    assert.equal(await cached(), true);
    assert.match(
      await outputOfRun('wget -q -O - http://registry.npmjs.org/is-odd | head -c 20 > /dev/null && echo rea""ched'),
      /reached/,
    );
  });

  it('killed in the middle of a build: the build may be tried again', async () => {
    const input = await stack.input('cut', { Dockerfile: `FROM alpine\nRUN sleep 60; ${anew()}\n` });
    const begun = Promise.withResolvers<void>();
    const onLine = (line: string): void => {
      if (line.includes('sleep 60')) begun.resolve();
    };
    const build = builder.build(input, { signal: patience(), onLine });
    const outcome = assert.rejects(build, { code: 'UNAVAILABLE', retryable: true });
    await Promise.race([begun.promise, outcome]);
    await docker.getContainer(buildEngineName(stack.stackId)).kill();
    await outcome;
    assert.match(await outputOfRun('echo aga""in'), /again/);
  });

  it('started by another worker at that moment: it is waited for, and not replaced', async () => {
    await docker.getContainer(buildEngineName(stack.stackId)).remove({ force: true });
    const other = await createTestEngine(stack);
    const opening = Promise.allSettled([engine.open(recordingContext())]);
    const started = await waitUntil('the container of the engine', async () => {
      const found = await inspectContainer(docker, buildEngineName(stack.stackId));
      return found?.State.Running === true ? found : null;
    });
    await other.engine.open(recordingContext());
    assert.deepEqual(
      (await opening).map(({ status }) => status),
      ['fulfilled'],
    );
    assert.equal((await docker.getContainer(buildEngineName(stack.stackId)).inspect()).Id, started.Id);
  });

  it('stays when the clock was set back after its relay began', async () => {
    const relay = buildRelayName(stack.stackId);
    const beforeTheClockWasSet = async (): Promise<ContainerInspectInfo> => {
      const found = await docker.getContainer(relay).inspect();
      const StartedAt = new Date(Date.parse(found.State.StartedAt) + 3_600_000).toISOString();
      return { ...found, State: { ...found.State, StartedAt } };
    };
    const machine: Docker = Object.create(docker, {
      getContainer: {
        value: (id: string) => (id === relay ? { inspect: beforeTheClockWasSet } : docker.getContainer(id)),
      },
    });
    const { engine: later } = await createTestEngine(stack, { docker: machine });
    const ids: string[] = [];
    for (let opened = 0; opened < 2; opened += 1) {
      await later.open(recordingContext());
      ids.push((await docker.getContainer(buildEngineName(stack.stackId)).inspect()).Id);
    }
    assert.equal(ids[0], ids[1]);
  });

  it('that cannot start on a full disk: the build says so', async (t) => {
    const other = await createTestStack();
    t.after(() => other.dispose());
    const full = { type: 'tmpfs', device: 'tmpfs', o: 'size=4k' };
    await docker.createVolume({
      ...{ Name: buildEngineName(other.stackId), DriverOpts: full },
      Labels: { [LABELS.stack]: other.stackId },
    });
    const { engine: starved } = await createTestEngine(other);
    await assert.rejects(starved.open(recordingContext()), { code: 'DISK_FULL' });
  });

  it('two that need it at once start it once', async () => {
    await docker.getContainer(buildEngineName(stack.stackId)).remove({ force: true });
    const other = await createTestEngine(stack);
    const opened = await Promise.allSettled([engine, other.engine].map((each) => each.open(recordingContext())));
    assert.ok(opened.some(({ status }) => status === 'fulfilled'));
    const running = await docker.listContainers({ all: true, filters: { name: [buildEngineName(stack.stackId)] } });
    assert.equal(running.length, 1);
    await Promise.all([engine, other.engine].map((each) => each.open(recordingContext())));
  });

  it('has no device of the machine, and its socket is for its owner alone', async () => {
    const { HostConfig } = await docker.getContainer(buildEngineName(stack.stackId)).inspect();
    assert.equal(HostConfig.Privileged, false);
    const [source = ''] = HostConfig.Binds?.find((bind) => bind.includes(':/run/fairlead'))?.split(':') ?? [];
    assert.equal((await stat(source)).mode & 0o777, 0o700);
  });
});
