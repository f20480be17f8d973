import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPartLog, type PartLog } from '../../adapters/log-files/part-log.ts';
import { partLogFolder } from '../../adapters/log-files/part-log-folder.ts';
import { createPlatformLogs } from '../../adapters/log-files/platform-logs.ts';
import { LOG_ROTATION } from '../../domain/logs/rotation.ts';
import { createInMemoryBuilderParts } from '../support/in-memory/builder-parts.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli, startCli } from './run-cli.ts';

const ENV = { FAIRLEAD_KEY: KEY };

/** The commands against a real builder. */
describe('fairlead platform', () => {
  let api: TestApi;
  let folder: string;
  const logs: PartLog[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-platform-'));
    const platformLogs = createPlatformLogs({ directory: folder });
    api = await startApi(null, null, { ...createInMemoryBuilderParts(), platformLogs });
  });
  after(async () => {
    for (const log of logs) log.close();
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runCli({ url: api.address }, ['platform', ...args], { env: ENV });
  const writeTo = (part: string, ...lines: string[]) => {
    const path = partLogFolder(folder, { part, stream: 'out' });
    assert.ok(path);
    const log = openPartLog(path, { rotation: LOG_ROTATION, now: () => new Date(), secrets: [] });
    logs.push(log);
    const write = (line: string): void => log.write(Buffer.from(`${line}\n`));
    for (const line of lines) write(line);
    return write;
  };
  const entry = (level: string, msg: string) => JSON.stringify({ level, msg });

  it('says plainly that there are no logs, and no part of a name', async () => {
    const { code, stdout, stderr } = await run('logs');
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /keeps no logs of its programs/);
    assert.match((await run('tail')).stderr, /^No line matches\n$/);
    const unknown = await run('tail', 'nobody');
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, /No part called nobody has a log/);
  });

  it('lists the files, and tails the builder’s own lines or those of a part, by level', async () => {
    writeTo('api', entry('info', 'one'), entry('error', 'two'));
    writeTo('worker', entry('warn', 'three'));
    const { stdout } = await run('logs');
    assert.match(stdout, /^PART +OUTPUT +SIZE +CHANGED +FILE\napi +out +\d+ B +\S.* api\/out\/1\.log\nworker +out /);
    assert.equal(JSON.parse((await run('logs', '--json')).stdout).data.files.length, 2);
    assert.equal((await run('tail')).stdout, `${entry('info', 'one')}\n${entry('error', 'two')}\n`);
    assert.equal((await run('tail', '--level', 'error', '-n', '5')).stdout, `${entry('error', 'two')}\n`);
    assert.equal((await run('tail', 'worker')).stdout, `${entry('warn', 'three')}\n`);
    assert.equal(JSON.parse((await run('tail', 'worker', '--json')).stdout).data.lines[0].msg, 'three');
  });

  it('-f goes on behind the lines that it showed, until Ctrl-C', async () => {
    const write = writeTo('follows', 'line 1');
    const running = startCli({ url: api.address }, ['platform', 'tail', 'follows', '-f'], { env: ENV });
    await waitUntil('the first line', () => running.text().includes('line 1'));
    write('line 2 \u001b[2J\u009b2J');
    await waitUntil('the second line', () => running.text().includes('line 2'));
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.done;
    assert.deepEqual([code, stdout], [130, 'line 1\nline 2 \n']);
    assert.match(stderr, /Stopped following follows; it continues/);
  });
});
