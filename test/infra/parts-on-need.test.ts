import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { embeddedPartsSection } from '../../adapters/env/embedded-parts.ts';
import { createEnsurePart } from '../../adapters/process/embedded-parts.ts';
import { answerPartRequests } from '../../infra/dev/part-requests.ts';
import { definePart, type EmbeddedPart, type PartContext } from '../../infra/dev/parts/embedded-part.ts';
import { createPartsOnNeed } from '../../infra/dev/parts-on-need.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import type { StackRow } from '../../infra/dev/stack-parts.ts';
import { createSupervisor, type Supervisor } from '../../infra/dev/supervisor.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';

/** An HTTP server that notes each of its starts, and its end. */
const SERVER = `const [port, notes] = process.argv.slice(1);
  const note = (text) => require('node:fs').appendFileSync(notes, text + '\\n');
  note('server starts');
  require('node:http').createServer((request, response) => response.end('served')).listen(Number(port), '127.0.0.1');
  process.on('SIGTERM', () => { note('server ends'); process.exit(0); });`;

const server = definePart({
  name: 'server',
  title: 'a small server',
  tools: [
    {
      name: 'node',
      title: 'Node.js',
      version: process.version,
      file: 'node',
      variable: 'TEST_NODE',
      onPath: [],
      probe: async () => process.version,
      ways: [],
      byHand: 'set TEST_NODE',
    },
  ],
  ports: { server: { usual: 1, variable: 'TEST_SERVER_PORT', title: 'the small server' } },
  folder: 'server',
  secrets: [],
  replacedBy: 'TEST_SERVER_URL',
  replacedWith: [],
  starts: 'on first need',
  provides: [],
  addresses: (ports) => ({ server: `http://127.0.0.1:${ports.server}` }),
  credentials: () => ({}),
  children: (tool, { dataDir, ports }) => [
    {
      name: 'server',
      command: tool.path,
      args: ['-e', SERVER, String(ports.server), join(dataDir, 'notes')],
      exitsBy: 'watchdog',
      ready: { kind: 'http', url: `http://127.0.0.1:${ports.server}` },
      readyTimeoutMs: 10_000,
      graceMs: 5_000,
    },
  ],
});

let folder = '';
let supervisor: Supervisor;
let context: PartContext<'server'>;
let rows: Record<string, StackRow>;
let asker: ChildProcess | undefined;
let ensurePart: (name: string) => Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-need-'));
  rows = {};
  context = {
    dataDir: folder,
    ports: { server: await freePort() },
    secret: () => '',
    env: { TEST_NODE: process.execPath },
    report: silentReporter,
  };
  supervisor = createSupervisor({
    logFolder: folder,
    onChannel: (leader) => {
      asker = leader;
      answerPartRequests(leader, (name) => ensurePart(name));
    },
  });
  ensurePart = partsOnNeed();
});
afterEach(async () => {
  await supervisor.stop();
  await rm(folder, { recursive: true, force: true });
});

function partsOnNeed(env = context.env, part: EmbeddedPart<'server', 'server'> = server) {
  const onRows = (known: typeof rows): void => void Object.assign(rows, known);
  const handOver = async (): Promise<void> => undefined;
  return createPartsOnNeed({ parts: [part], context: { ...context, env }, supervisor, handOver, onRows });
}

/** Somebody else on the port of the part. */
async function squat(): Promise<{ leave: () => Promise<void> }> {
  const squatter = createServer((socket) => socket.destroy())
    .listen(context.ports.server, '127.0.0.1')
    .unref();
  await once(squatter, 'listening');
  return { leave: async () => void (await once(squatter.close(), 'close')) };
}

const address = (): string => `http://127.0.0.1:${context.ports.server}`;
const answer = async (): Promise<string> => (await fetch(address())).text();
const notes = async (): Promise<string[]> => {
  const text = await readFile(join(folder, 'notes'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
};

test('a part runs once something asks for it, started once however many ask at the same time', async () => {
  await assert.rejects(answer());
  await Promise.all([ensurePart('server'), ensurePart('server'), ensurePart('server')]);
  assert.equal(await answer(), 'served');
  await ensurePart('server');
  assert.deepEqual(await notes(), ['server starts']);
  assert.equal(rows.server?.version, process.version);
  assert.equal(rows.server?.address, address());
});

test('a part that cannot be started is told with its line, and tried again for the next one who asks', async () => {
  const squatter = await squat();
  const asked = await Promise.allSettled([ensurePart('server'), ensurePart('server')]);
  for (const outcome of asked) {
    assert.ok(outcome.status === 'rejected');
    assert.match(
      outcome.reason.message,
      /^server did not start: exit code 1: .*EADDRINUSE.*; its log is in .*\/server$/,
    );
  }
  assert.deepEqual(await notes(), ['server starts'], 'both heard of the same start');
  await squatter.leave();
  await ensurePart('server');
  assert.equal(await answer(), 'served');
});

test('a part whose tool cannot be had says each way that was tried', async () => {
  await assert.rejects(partsOnNeed({})('server'), /Node\.js could not be found or fetched:\n.*TEST_NODE: not set/);
});

test('a part that production replaces, and one that always runs, are not started', async () => {
  await partsOnNeed({ ...context.env, TEST_SERVER_URL: 'https://example.org' })('server');
  await partsOnNeed(context.env, { ...server, starts: 'always' })('server');
  assert.deepEqual(await notes(), []);
});

test('a part that is not in the table is refused by its name', async () => {
  await assert.rejects(ensurePart('sevrer'), /no part called sevrer/);
});

/** A process of the platform, which asks its supervisor for parts and writes down what it was told. */
async function startAsker(script: string, onNeed = 'server'): Promise<void> {
  const [module, section] = ['process', 'env'].map((name) => {
    return JSON.stringify(join(projectRoot, 'adapters', name, 'embedded-parts.ts'));
  });
  const source = `import { appendFileSync } from 'node:fs';
    import { createEnsurePart } from ${module};
    import { embeddedPartsSection } from ${section};
    const note = (text) => appendFileSync(${JSON.stringify(join(folder, 'notes'))}, text + '\\n');
    const ensurePart = createEnsurePart(embeddedPartsSection.PARTS_ON_NEED.parse(process.env.PARTS_ON_NEED));
    process.on('SIGTERM', () => { note('asker ends'); process.exit(0); });
    process.on('disconnect', () => process.exit(0));
    process.send('ready');
    ${script}`;
  await supervisor.start({
    name: 'asker',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source],
    env: { PARTS_ON_NEED: onNeed },
    exitsBy: 'ipc',
    ready: { kind: 'ipc' },
    readyTimeoutMs: 10_000,
    graceMs: 5_000,
  });
}

test('a process of the platform asks over its channel, twice at once, and connects when it is answered', async () => {
  await startAsker(`await Promise.all([ensurePart('server'), ensurePart('server')]);
    note('asker got ' + await (await fetch('${address()}')).text());`);
  await waitUntil('the asker has its answer', async () => (await notes()).includes('asker got served'));
  assert.deepEqual(await notes(), ['server starts', 'asker got served']);
});

test('a process is told the line of a failure, and may ask again', async () => {
  const squatter = await squat();
  await startAsker(`const ask = () => ensurePart('server').then(() => note('asker has it'), ({ message }) => note(message));
    process.on('message', (message) => message === 'again' && ask());
    await ask();`);
  await waitUntil('the asker was refused', async () => (await notes()).some((line) => /did not start/.test(line)));
  assert.match((await notes()).at(-1) ?? '', /^server did not start: .*EADDRINUSE/);
  await squatter.leave();
  asker?.send('again');
  await waitUntil('the asker has its answer', async () => (await notes()).includes('asker has it'));
});

test('a process that gets no answer is told so after a limit, and may ask again', async () => {
  const start = partsOnNeed();
  const stuck = Promise.withResolvers<void>();
  ensurePart = async (name) => {
    await stuck.promise;
    await start(name);
  };
  await startAsker(`const [soon, late] = [0.001, 15].map((minutes) => createEnsurePart(['server'], process, minutes));
    process.on('message', (message) => message === 'again' && late('server').then(() => note('asker has it')));
    await soon('server').catch(({ code, message }) => note(code + ': ' + message));`);
  await waitUntil('the asker was told', async () => (await notes()).length > 0);
  const told = 'UNAVAILABLE: server was not started: the stack did not answer within 0.001 minutes';
  assert.deepEqual(await notes(), [told]);
  stuck.resolve();
  asker?.send('again');
  await waitUntil('the asker has its answer', async () => (await notes()).includes('asker has it'));
  assert.deepEqual(await notes(), [told, 'server starts', 'asker has it']);
});

test('what starts on need stops after the processes that use it', async () => {
  await startAsker(`await ensurePart('server'); note('asker has it');`);
  await waitUntil('the asker has its answer', async () => (await notes()).includes('asker has it'));
  await supervisor.stop();
  assert.deepEqual((await notes()).slice(-2), ['asker ends', 'server ends']);
});

test('a process that asks for a part that runs anyway is answered without a question', async () => {
  await startAsker(`await ensurePart('server'); note('answered');`, 'another, third');
  await waitUntil('the asker has its answer', async () => (await notes()).includes('answered'));
  assert.deepEqual(await notes(), ['answered']);
});

test('without a stack there is nothing to ask for: production has the server', async () => {
  await createEnsurePart(embeddedPartsSection.PARTS_ON_NEED.parse(undefined))('server');
  await assert.rejects(createEnsurePart(['server'])('server'), /server was not started: no stack to ask/);
});
