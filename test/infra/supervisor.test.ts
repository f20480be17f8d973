import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ChildSpec } from '../../infra/dev/child-process.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { createSupervisor } from '../../infra/dev/supervisor.ts';
import { isAlive } from '../../infra/dev/tools/folder-lock.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-supervisor-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const LISTEN = `const server = require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1',
  () => console.log('listening'));
  process.on('SIGTERM', () => { require('node:fs').appendFileSync(process.argv[2], process.argv[1] + '\\n'); process.exit(0); });`;

async function tcpChild(name: string, stops: string): Promise<ChildSpec & { port: number }> {
  const port = await freePort();
  return {
    name,
    port,
    command: process.execPath,
    args: ['-e', LISTEN, String(port), stops],
    exitsBy: 'watchdog',
    ready: { kind: 'tcp', host: '127.0.0.1', port },
    readyTimeoutMs: 10_000,
    graceMs: 5_000,
  };
}

function newSupervisor() {
  return createSupervisor({ logFolder: folder, firstBackoffMs: 20, lastBackoffMs: 100 });
}

function pidOf(supervisor: ReturnType<typeof newSupervisor>, name: string): number {
  const pid = supervisor.states()[name]?.pid;
  assert.ok(pid, `${name} runs`);
  return pid;
}

test('children stop in reverse order of their start, and none is left', async () => {
  const stops = join(folder, 'stops');
  const supervisor = newSupervisor();
  const [first, second] = [await tcpChild('first', stops), await tcpChild('second', stops)];
  await supervisor.start(first);
  await supervisor.start(second);
  const pids = ['first', 'second'].map((name) => pidOf(supervisor, name));
  await supervisor.stop();
  assert.deepEqual((await readFile(stops, 'utf8')).trim().split('\n'), [String(second.port), String(first.port)]);
  assert.deepEqual(pids.filter(isAlive), []);
  assert.match(await readFile(join(folder, 'first', 'out', '1.log'), 'utf8'), /listening/);
});

test('a child killed with SIGKILL comes back on the same port under another process id', async () => {
  const supervisor = newSupervisor();
  const spec = await tcpChild('phoenix', join(folder, 'phoenix-stops'));
  await supervisor.start(spec);
  try {
    const firstPid = pidOf(supervisor, 'phoenix');
    process.kill(firstPid, 'SIGKILL');
    await waitUntil('the child is back', () => {
      const state = supervisor.states().phoenix;
      return state?.restarts === 1 && state.pid !== undefined && state.pid !== firstPid;
    });
  } finally {
    await supervisor.stop();
  }
});

test('a start that never becomes ready is refused with its log, and leaves nothing running', async () => {
  const supervisor = newSupervisor();
  const pidFile = join(folder, 'deaf-pid');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
  const spec: ChildSpec = {
    ...(await tcpChild('deaf', '')),
    args: ['-e', script],
    readyTimeoutMs: 1_000,
  };
  await assert.rejects(supervisor.start(spec), /deaf did not start: not ready within 1 s; its log is in .*\/deaf$/);
  const pid = Number(await readFile(pidFile, 'utf8'));
  await waitUntil('the child is gone', () => !isAlive(pid));
  await supervisor.stop();
});

test('a child that stops last does so although it was started after the others', async () => {
  const stops = join(folder, 'stops-last');
  const supervisor = newSupervisor();
  const [first, second] = [await tcpChild('user', stops), await tcpChild('used', stops)];
  await supervisor.start(first);
  await supervisor.start(second, { stopsLast: true });
  await supervisor.stop();
  assert.deepEqual((await readFile(stops, 'utf8')).trim().split('\n'), [String(first.port), String(second.port)]);
});

test('what failed to start is not listed, and can be started again', async () => {
  const supervisor = newSupervisor();
  const spec = await tcpChild('second-try', join(folder, 'second-try-stops'));
  await assert.rejects(supervisor.start({ ...spec, command: '/no/such/program' }));
  assert.deepEqual(supervisor.states(), {});
  await supervisor.start(spec);
  assert.ok(isAlive(pidOf(supervisor, 'second-try')));
  await supervisor.stop();
});

test('a stop during a start ends what is starting, and refuses further starts', async () => {
  const supervisor = newSupervisor();
  const spec = { ...(await tcpChild('starting', '')), args: ['-e', 'setInterval(() => {}, 1000);'] };
  const starting = assert.rejects(supervisor.start(spec), /the stack is stopping/);
  await waitUntil('it runs', () => supervisor.states().starting?.pid !== undefined);
  const pid = pidOf(supervisor, 'starting');
  await supervisor.stop();
  await starting;
  await waitUntil('it is gone', () => !isAlive(pid));
  await assert.rejects(supervisor.start(spec), /stopping/);
});

test('a server that ends while it is prepared is refused at once', async () => {
  const supervisor = newSupervisor();
  const afterReady = async (): Promise<void> => {
    process.kill(pidOf(supervisor, 'fragile'), 'SIGKILL');
    await new Promise(() => undefined);
  };
  const spec = { ...(await tcpChild('fragile', '')), afterReady };
  await assert.rejects(supervisor.start(spec), /fragile did not start: /);
  await supervisor.stop();
});

test('a program that ends over its variables is told with each of them', async () => {
  const supervisor = newSupervisor();
  const script = "throw new Error('Variables to correct:\\n  FIRST: a number\\n  SECOND: an address')";
  const spec: ChildSpec = { ...(await tcpChild('unset', '')), args: ['-e', script] };
  const told = /exit code 1: Error: Variables to correct: FIRST: a number, SECOND: an address; its log is/;
  await assert.rejects(supervisor.start(spec), told);
  await supervisor.stop();
});

test('a program that does not exist is refused at once', async () => {
  const supervisor = newSupervisor();
  const spec: ChildSpec = { ...(await tcpChild('ghost', '')), command: '/no/such/program', args: [] };
  await assert.rejects(supervisor.start(spec), /ghost did not start: exit code 127/);
  await supervisor.stop();
});

test('an ipc child is ready when it says so', async () => {
  const supervisor = newSupervisor();
  const script = "process.on('disconnect', () => process.exit()); process.send('ready');";
  await supervisor.start({
    ...(await tcpChild('teller', '')),
    args: ['-e', script],
    exitsBy: 'ipc',
    ready: { kind: 'ipc' },
  });
  assert.ok(isAlive(pidOf(supervisor, 'teller')));
  await supervisor.stop();
});

test('a supervisor killed with SIGKILL ends children with a watchdog and ipc children', async () => {
  const { port: guardedPort, ...guarded } = await tcpChild('guarded', join(folder, 'orphans'));
  const script = "process.on('disconnect', () => process.exit()); process.send('ready'); setInterval(() => {}, 1000);";
  const tied: ChildSpec = { ...guarded, name: 'tied', args: ['-e', script], exitsBy: 'ipc', ready: { kind: 'ipc' } };
  const module = join(projectRoot, 'infra', 'dev', 'supervisor.ts');
  const source = `import { createSupervisor } from ${JSON.stringify(module)};
    const supervisor = createSupervisor({ logFolder: ${JSON.stringify(folder)} });
    for (const spec of ${JSON.stringify([guarded, tied])}) await supervisor.start(spec);
    console.log(JSON.stringify(Object.values(supervisor.states()).map(({ pid }) => pid)));`;
  const file = join(folder, 'supervise.ts');
  await writeFile(file, source);
  const owner = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  owner.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await waitUntil(`both children run on ${guardedPort}`, () => output.includes(']'));
  const pids: number[] = JSON.parse(output);
  assert.deepEqual(pids.map(isAlive), [true, true]);
  owner.kill('SIGKILL');
  await waitUntil('both children are gone', () => !pids.some(isAlive));
});
