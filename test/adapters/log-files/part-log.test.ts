import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPartLog } from '../../../adapters/log-files/part-log.ts';
import { partLogFolder } from '../../../adapters/log-files/part-log-folder.ts';
import { CUT_MARK } from '../../../domain/logs/cut-line.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-part-log-'));
});
after(() => rm(root, { recursive: true, force: true }));

async function opened({ fileBytes = 1_000_000, secrets = [] as string[], prepare = async (_path: string) => {} } = {}) {
  const directory = await mkdtemp(join(root, 'logs-'));
  const folder = partLogFolder(directory, { part: 'worker', stream: 'out' });
  assert.ok(folder);
  await prepare(folder.path);
  const clock = { now: new Date() };
  const open = () =>
    openPartLog(folder, {
      rotation: { fileBytes, retain: 3, quotaBytes: 1_000_000 },
      now: () => clock.now,
      secrets,
    });
  const log = open();
  const write = (text: string): void => log.write(Buffer.from(text));
  const text = async (number = 1): Promise<string> => await readFile(join(folder.path, `${number}.log`), 'utf8');
  const names = async (): Promise<string[]> => (await readdir(folder.path)).sort();
  return { folder, clock, open, log, write, text, names };
}

describe('the log of a program of the platform', () => {
  it('has what was written when the call returns, line by line however it comes, for its owner alone', async () => {
    const { folder, log, write, text } = await opened();
    write('one\ntw');
    assert.equal(await text(), 'one\n');
    write('o ');
    log.write(Buffer.from('ü').subarray(0, 1));
    log.write(Buffer.from('ü\nthree').subarray(1));
    assert.equal(await text(), 'one\ntwo ü\n');
    log.end();
    assert.equal(await text(), 'one\ntwo ü\nthree\n');
    assert.equal((await stat(join(folder.path, '1.log'))).mode & 0o777, 0o600);
    assert.equal((await stat(folder.path)).mode & 0o777, 0o700);
    log.close();
    write('too late\n');
    assert.equal(await text(), 'one\ntwo ü\nthree\n');
  });

  it('never holds the keys of the installation, whoever prints them and in however many pieces', async () => {
    const secret = 'a key of this installation, 32 bytes';
    const { log, write, text } = await opened({ secrets: [secret] });
    for (const character of `Error: ${secret} is wrong\n`) write(character);
    write(`base64 ${Buffer.from(secret).toString('base64')}\n`);
    write(`${'x'.repeat(65_530)}${secret}`);
    write(`${secret.repeat(100_000)}\nafter\n`);
    log.end();
    const written = await text();
    assert.ok(!written.includes(secret) && !written.includes(secret.slice(0, 6)), written.slice(-200));
    assert.match(written, /^Error: \[REDACTED\] is wrong\nbase64 \[REDACTED\]/);
    assert.ok(written.endsWith(`${CUT_MARK}\nafter\n`));
    log.close();
  });

  it('is rotated before a file would be too large, and at midnight UTC', async () => {
    const { clock, log, write, names } = await opened({ fileBytes: 100 });
    for (let line = 0; line < 30; line += 1) write(`this is line ${line}\n`);
    assert.ok((await names()).length > 4);
    await log.look();
    const kept = await names();
    assert.deepEqual(kept.map((name) => name.replace(/^\d+/, '')).sort(), ['.log', '.log.gz', '.log.gz', '.log.gz']);
    const newest = Math.max(...kept.map((name) => Number.parseInt(name, 10)));
    clock.now = new Date(clock.now.getTime() + 86_400_000);
    await log.look();
    assert.ok((await names()).includes(`${newest + 1}.log`));
    clock.now = new Date(clock.now.getTime() + 86_400_000);
    await log.look();
    assert.ok(!(await names()).includes(`${newest + 2}.log`), 'a file without a line is not rotated');
    log.close();
  });

  it('goes on behind what a killed writer left, and glues nothing to half a line', async () => {
    const { folder, log, write, text, open } = await opened();
    write('whole\n');
    log.close();
    await writeFile(join(folder.path, '1.log'), 'whole\nhalf of a li');
    const again = open();
    again.write(Buffer.from('next\n'));
    assert.equal(await text(), 'whole\nhalf of a li\nnext\n');
    again.close();
  });

  it('a full disk stops nobody: lines are counted, and the log says so once there is room', async () => {
    const { folder, log, write, text } = await opened({
      prepare: async (path) => {
        await mkdir(path, { recursive: true });
        await symlink('/dev/full', join(path, '1.log'));
      },
    });
    write('lost\nlost\n');
    write('lost as well\n');
    await rm(join(folder.path, '1.log'));
    await log.look();
    write('kept\n');
    const [notice = '', kept] = (await text(2)).split('\n');
    assert.deepEqual([JSON.parse(notice).level, kept], ['warn', 'kept']);
    assert.match(JSON.parse(notice).msg, /^3 lines were not written here/);
    log.close();
  });

  it('goes on in the next free file when a rotation had failed after it made one', async () => {
    const { folder, write, text, log } = await opened({ fileBytes: 30 });
    write('the first line of the log\n');
    await writeFile(join(folder.path, '2.log'), '');
    await writeFile(join(folder.path, '3.log'), '');
    write('the next line of the log\n');
    assert.equal(await text(4), 'the next line of the log\n');
    log.close();
  });

  it('goes on in a new file when somebody removed the folder', async () => {
    const { folder, log, write, text } = await opened();
    write('removed\n');
    await rm(folder.path, { recursive: true });
    await log.look();
    write('here\n');
    assert.equal(await text(2), 'here\n');
    log.close();
  });
});
