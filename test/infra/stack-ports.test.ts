import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SERVICE_NAMES } from '../../domain/services.ts';
import type { ChildSpec } from '../../infra/dev/child-process.ts';
import { claimPort } from '../../infra/dev/free-ports.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import {
  fixedPorts,
  holdFreePorts,
  neededPorts,
  PORTS,
  type Ports,
  type StackPorts,
  startOnPorts,
} from '../../infra/dev/stack-ports.ts';
import { createSupervisor } from '../../infra/dev/supervisor.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-ports-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function take(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function free(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return address.port;
}

test('a port in use is named with what it is for and the variable that changes it', async () => {
  const server = await take(0);
  try {
    await assert.rejects(
      fixedPorts({ FAIRLEAD_TEMPORAL_PORT: String(portOf(server)) }, ['temporal']),
      new RegExp(`port ${portOf(server)} for Temporal is in use: .*FAIRLEAD_TEMPORAL_PORT=<port>`),
    );
  } finally {
    await free(server);
  }
});

test('a variable that is no port is refused', async () => {
  await assert.rejects(fixedPorts({ EDGE_PORT: 'eighty' }, []), /EDGE_PORT=eighty is not a port/);
});

test('every port of the table has a usual number and a variable of its own', () => {
  const rows = Object.values(PORTS);
  assert.equal(new Set(rows.map(({ usual }) => usual)).size, rows.length);
  assert.equal(new Set(rows.map(({ variable }) => variable)).size, rows.length);
});

test('a part that production replaces needs no port', () => {
  const needed = neededPorts({});
  for (const name of ['temporal', 'temporalUi', 'firstChain', 'idp', 'edge'] as const) assert.ok(needed.includes(name));
  assert.ok(!needed.includes('edgeTls'));
  for (const env of [{ ACME_DIRECTORY_URL: 'https://ca.example.com/directory' }, { EDGE_TLS_PORT: '9443' }]) {
    assert.ok(neededPorts(env).includes('edgeTls'));
  }
  const without = neededPorts({ TEMPORAL_ADDRESS: 'temporal.example.org:7233', AUDIT_CHAINS: '[]' });
  assert.deepEqual(
    needed.filter((name) => !without.includes(name)),
    ['temporal', 'temporalUi', 'firstChain', 'secondChain'],
  );
});

test('a port that is not handed over stays held, and refuses whoever calls', async () => {
  const { ports, handOver, release } = await holdFreePorts();
  await handOver(['mongo']);
  await free(await take(ports.mongo));
  await assert.rejects(take(ports.imageRegistry), { code: 'EADDRINUSE' });
  const caller = connect(ports.imageRegistry, '127.0.0.1').resume();
  await Promise.race([once(caller, 'close'), once(caller, 'error')]);
  await release();
  await free(await take(ports.imageRegistry));
});

test('free ports are all different, and nobody else gets them until they are handed over', async () => {
  const [first, second] = [await holdFreePorts(), await holdFreePorts()];
  const ports = [...Object.values(first.ports), ...Object.values(second.ports)];
  assert.equal(new Set(ports).size, ports.length);
  await assert.rejects(take(first.ports.mongo), { code: 'EADDRINUSE' });
  await Promise.all([first.release(), second.release()]);
  await free(await take(first.ports.mongo));
});

test('a port that was handed over stays claimed among processes until its process ends', async () => {
  const script = `import { claimPort, freePorts } from '${new URL('../../infra/dev/free-ports.ts', import.meta.url)}';
    const [port] = await freePorts(1);
    process.stdout.write(JSON.stringify({ port, again: await claimPort(port) }));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const { port, again } = JSON.parse(String(said));
  assert.equal(again, false);
  assert.equal(await claimPort(port), false);
  // Its own program can listen.
  await free(await take(port));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await claimPort(port), true);
});

/** A program on the port of MongoDB, for what a stack is; it says that port is its own by answering. */
function server(port: number, script: string): ChildSpec {
  return {
    name: 'mongo',
    command: process.execPath,
    args: ['-e', script, String(port)],
    exitsBy: 'watchdog',
    ready: { kind: 'tcp', host: '127.0.0.1', port },
    readyTimeoutMs: 10_000,
    graceMs: 5_000,
  };
}

const LISTEN = "require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1')";

for (const [moment, stealsAt] of [
  ['between choosing it and the start of its program', 'start'],
  ['after the start, before the program listens', 'listen'],
] as const) {
  test(`a port stolen ${moment} is replaced, and the stack goes on`, async () => {
    let thief: Server | null = null;
    const tried: number[] = [];
    const start = async ({ ports: { mongo }, handOver }: StackPorts) => {
      tried.push(mongo);
      const supervisor = createSupervisor({ logFolder: folder });
      const steal = async (): Promise<void> => {
        thief ??= await take(mongo);
      };
      await handOver(['mongo']);
      if (stealsAt === 'start') await steal();
      // The program is as slow to listen as a large one.
      const slow = server(mongo, `setTimeout(() => ${LISTEN}, 300)`);
      const starting = supervisor.start(slow);
      if (stealsAt === 'listen' && tried.length === 1) {
        while (supervisor.states().mongo?.pid === undefined) await new Promise((resolve) => setImmediate(resolve));
        await steal();
      }
      try {
        await starting;
        return supervisor;
      } catch (error) {
        await supervisor.stop();
        throw error;
      }
    };
    const needed = ['mongo'] as const;
    const supervisor = await startOnPorts('free', { env: {}, needed, report: silentReporter }, start);
    try {
      assert.equal(tried.length, 2);
      assert.notEqual(tried[0], tried[1]);
      await assert.rejects(take(tried[1] ?? 0), { code: 'EADDRINUSE' });
    } finally {
      await supervisor.stop();
      if (thief !== null) await free(thief);
    }
  });
}

test('a start that fails for another reason is not tried again', async () => {
  let tries = 0;
  const start = async (): Promise<never> => {
    tries += 1;
    throw new Error('no disk');
  };
  const options = { env: {}, needed: ['mongo'], report: silentReporter } as const;
  await assert.rejects(startOnPorts('free', options, start), /no disk/);
  assert.equal(tries, 1);
});

test('no service, part or address of a part has the name of another: each has its own port and its own line', () => {
  const ports = [...SERVICE_NAMES, 'edge', 'edgeTls', ...PART_ROWS.flatMap((part) => Object.keys(part.ports))];
  assert.deepEqual(ports.toSorted(), Object.keys(PORTS).toSorted());
  const usual = Object.fromEntries(Object.entries(PORTS).map(([name, row]) => [name, row.usual])) as Ports;
  const lines = [...SERVICE_NAMES, ...PART_ROWS.flatMap((part) => Object.keys(part.addresses(usual)))];
  assert.deepEqual(lines, [...new Set(lines)]);
});
