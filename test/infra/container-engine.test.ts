import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { useEngine } from '../../infra/dev/container-engine.ts';
import type { EngineConsent, EngineMachine } from '../../infra/dev/start-engine.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';

/** A program that answers as an engine does when it is asked for its version. */
const DOCKERD = `#!${process.execPath}
process.title = 'dockerd';
const socket = process.argv[process.argv.indexOf('--host') + 1].replace('unix://', '');
const server = require('node:http').createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ Version: '99.1' }));
}).listen(socket);
process.on('SIGTERM', () => server.close(() => process.exit(0)) && server.closeAllConnections());
`;

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A machine on which no engine runs. Its cache, its PATH and the engine's socket are one folder. */
function newMachine({
  installed,
  answer = false,
  isRoot = true,
}: Partial<Record<'answer' | 'isRoot', boolean>> & { installed: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-engine-'));
  folders.push(folder);
  if (installed) {
    writeFileSync(join(folder, 'dockerd'), DOCKERD);
    chmodSync(join(folder, 'dockerd'), 0o755);
  }
  const questions: string[] = [];
  const machine: EngineMachine = {
    socket: join(folder, 'docker.sock'),
    isRoot,
    isDebian: async () => true,
    ask: async (question) => {
      questions.push(question);
      return answer;
    },
  };
  const env = { PATH: folder, XDG_CACHE_HOME: folder };
  const use = (may: EngineConsent['may'], command = 'npm test -- --yes') =>
    useEngine({ env, report: silentReporter, consent: { may, command }, machine });
  return { use, questions };
}

test('an installed engine that is stopped is started without a question where a command may start it', async () => {
  const { use, questions } = newMachine({ installed: true });
  const engine = await use('start');
  assert.deepEqual([engine.version, engine.how, questions], ['99.1', 'started by Fairlead', []]);
  assert.equal(await engine.leave(), true);
  await assert.rejects(use('look'), /no container engine is running/);
});

test('the last user of an engine stops it, also where one process uses it twice', async () => {
  const { use } = newMachine({ installed: true });
  const [first, second] = [await use('start'), await use('start')];
  assert.equal(await first.leave(), false);
  assert.equal((await use('look')).version, '99.1');
  assert.equal(await second.leave(), true);
  await assert.rejects(use('look'), /no container engine is running/);
});

test('nothing is installed without consent: the refusal names the flag of the command that was run', async () => {
  const { use, questions } = newMachine({ installed: false });
  await assert.rejects(use('start'), /^FairleadError: no container engine is running: .*"npm test -- --yes"$/);
  assert.deepEqual(questions, ['No container engine is running. Install docker.io with apt-get and start dockerd?']);
  await assert.rejects(use('ask', 'npm start -- --yes'), /"npm start -- --yes"$/);
});

test('a command that only looks neither asks nor starts', async () => {
  const { use, questions } = newMachine({ installed: true, answer: true });
  await assert.rejects(use('look', 'npm start -- --yes'), /running: run "npm start -- --yes"$/);
  assert.deepEqual(questions, []);
});

test('npm start asks before it starts an installed engine, and takes no for an answer', async () => {
  const refusing = newMachine({ installed: true });
  await assert.rejects(refusing.use('ask'), /answer yes/);
  assert.deepEqual(refusing.questions, ['No container engine is running. Start dockerd?']);
  const agreeing = newMachine({ installed: true, answer: true });
  const engine = await agreeing.use('ask');
  assert.equal(engine.how, 'started by Fairlead');
  await engine.leave();
});

test('where it cannot be started, a person is told what to do', async () => {
  const { use } = newMachine({ installed: true, isRoot: false });
  await assert.rejects(use('start'), /start Docker, install it from .*, or set DOCKER_HOST$/);
});
