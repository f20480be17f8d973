import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { resolveTool, type Tool } from '../../../infra/dev/tools/resolve-tool.ts';

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-tool-'));
  folders.push(folder);
  return folder;
}

async function putProgram(path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
}

function fakeTool(overrides: Partial<Tool> = {}): Tool {
  return {
    name: 'anvilette',
    title: 'Anvilette',
    version: '1.0.0',
    file: 'anvilette',
    variable: 'FAIRLEAD_ANVILETTE',
    onPath: ['anvilette'],
    probe: async () => '1.0.0',
    ways: [],
    byHand: 'install it',
    ...overrides,
  };
}

test('the own variable wins over PATH, PATH over the cache, the cache over fetching', async () => {
  const [cache, path] = [await newFolder(), await newFolder()];
  const fetched: string[] = [];
  const obtain = async (folder: string): Promise<void> => {
    fetched.push(folder);
    await putProgram(join(folder, 'anvilette'));
  };
  const tool = fakeTool({ ways: [{ name: 'fetch', usual: '1 s', obtain }] });
  const how = async (env: Record<string, string>): Promise<string> =>
    (await resolveTool(tool, { env: { XDG_CACHE_HOME: cache, ...env }, report: silentReporter })).how;
  assert.equal(await how({ PATH: path }), 'fetch');
  assert.equal(await how({ PATH: path }), 'cache');
  await putProgram(join(path, 'anvilette'));
  assert.equal(await how({ PATH: path }), 'PATH');
  assert.equal(await how({ PATH: path, FAIRLEAD_ANVILETTE: join(path, 'anvilette') }), 'FAIRLEAD_ANVILETTE');
  assert.equal(fetched.length, 1);
});

test('a variable that names an unusable program is refused, not passed over', async () => {
  const env = { XDG_CACHE_HOME: await newFolder(), PATH: '', FAIRLEAD_ANVILETTE: '/no/such' };
  const tool = fakeTool({ probe: () => Promise.reject(new Error('no such file')) });
  await assert.rejects(
    resolveTool(tool, { env, report: silentReporter }),
    /FAIRLEAD_ANVILETTE=\/no\/such is not usable: no such file/,
  );
});

test('when every way fails, one error lists each with its reason and what to do by hand', async () => {
  const cache = await newFolder();
  const ways = ['official download', 'module build'].map((name) => ({
    name,
    usual: '1 s',
    obtain: () => Promise.reject(new Error(`${name} is out of reach`)),
  }));
  await assert.rejects(
    resolveTool(fakeTool({ ways }), { env: { XDG_CACHE_HOME: cache, PATH: '' }, report: silentReporter }),
    (error: Error) => {
      for (const part of [
        'FAIRLEAD_ANVILETTE: not set',
        'PATH: no anvilette',
        'cache: no ',
        'official download: official download is out of reach',
        'module build: module build is out of reach',
        'By hand: install it',
      ]) {
        assert.ok(error.message.includes(part), `${part} in:\n${error.message}`);
      }
      return true;
    },
  );
  assert.deepEqual(await readdir(join(cache, 'fairlead', 'anvilette')), [], 'nothing is left behind');
});

test('two builders at once fetch once, and the second gets what the first made', async () => {
  const env = { XDG_CACHE_HOME: await newFolder(), PATH: '' };
  let fetches = 0;
  const obtain = async (folder: string): Promise<void> => {
    fetches += 1;
    await delay(100);
    await putProgram(join(folder, 'anvilette'));
  };
  const tool = fakeTool({ ways: [{ name: 'fetch', usual: '1 s', obtain }] });
  const both = await Promise.all([1, 2].map(() => resolveTool(tool, { env, report: silentReporter })));
  assert.equal(fetches, 1);
  assert.deepEqual(both.map(({ how }) => how).sort(), ['cache', 'fetch']);
});

test('the lock and the half-made folder of a dead builder are no obstacle', async () => {
  const cache = await newFolder();
  const home = join(cache, 'fairlead', 'anvilette');
  const dead = 2 ** 22 + 1;
  await mkdir(join(home, `1.0.0.partial-${dead}`), { recursive: true });
  await writeFile(join(home, '1.0.0.lock'), String(dead));
  const obtain = (folder: string): Promise<void> => putProgram(join(folder, 'anvilette'));
  const tool = fakeTool({ ways: [{ name: 'fetch', usual: '1 s', obtain }] });
  await resolveTool(tool, { env: { XDG_CACHE_HOME: cache, PATH: '' }, report: silentReporter });
  assert.deepEqual(await readdir(home), ['1.0.0']);
});

test('a way that failed is left alone for its pause, and says so; what removes its mark has it tried again', async () => {
  const cache = await newFolder();
  const options = { env: { XDG_CACHE_HOME: cache, PATH: '' }, report: silentReporter };
  let tried = 0;
  const obtain = async (): Promise<void> => {
    tried += 1;
    throw new Error('out of reach');
  };
  const tool = fakeTool({ ways: [{ name: 'download', usual: '1 s', obtain, pauseAfterFailureMs: 3_600_000 }] });
  await assert.rejects(resolveTool(tool, options), /download: out of reach/);
  const mark = join(cache, 'fairlead', 'anvilette', '1.0.0.failed');
  await assert.rejects(resolveTool(tool, options), (error: Error) => {
    assert.ok(error.message.includes(`failed within the last 1 h (out of reach); to try it now, delete ${mark}`));
    return true;
  });
  assert.equal(tried, 1);
  await rm(mark);
  await assert.rejects(resolveTool(tool, options), /download: out of reach/);
  assert.equal(tried, 2);
  const longAgo = new Date(Date.now() - 3_600_001);
  await utimes(mark, longAgo, longAgo);
  await assert.rejects(resolveTool(tool, options), /download: out of reach/);
  assert.equal(tried, 3);
});

test('what the cache holds is renewed once something newer is out, looked for once a day and by no doctor', async () => {
  const env = { XDG_CACHE_HOME: await newFolder(), PATH: '' };
  const home = join(env.XDG_CACHE_HOME, 'fairlead', 'anvilette');
  let [looks, latest] = [0, 'first'];
  const kept: (string | undefined)[] = [];
  const tool = fakeTool({
    newer: async (folder) => {
      looks += 1;
      return (await readFile(join(folder, 'release'), 'utf8')) === latest ? null : latest;
    },
    release: (folder) => readFile(join(folder, 'release'), 'utf8'),
    ways: [
      { name: 'a link', usual: '1 s', obtain: () => Promise.reject(new Error('none is installed')) },
      {
        ...{ name: 'unpack', usual: '1 s', renews: true },
        obtain: async (folder, replaced) => {
          kept.push(replaced);
          if (latest === 'out of reach') throw new Error('no network');
          await putProgram(join(folder, 'anvilette'));
          await writeFile(join(folder, 'release'), latest);
        },
      },
    ],
  });
  const how = async (obtain = true) => (await resolveTool(tool, { env, report: silentReporter, obtain })).how;
  const aDayLater = async () => {
    const before = new Date(Date.now() - 25 * 3_600_000);
    await utimes(join(home, '1.0.0.looked'), before, before);
  };
  assert.equal(await how(), 'unpack');
  assert.deepEqual([await how(), looks], ['cache, first', 1]);
  latest = 'second';
  assert.deepEqual([await how(), looks], ['cache, first', 1], 'not before a day is over');
  await aDayLater();
  assert.deepEqual([await how(false), looks], ['cache, first', 1], 'a doctor changes nothing');
  assert.deepEqual([await how(), looks], ['unpack', 2]);
  assert.deepEqual([await how(), kept], ['cache, second', [undefined, join(home, '1.0.0')]]);
  latest = 'out of reach';
  await aDayLater();
  assert.deepEqual([await how(), await how(), looks], ['cache, second', 'cache, second', 3], 'what is there serves on');
  const failing = { ...tool, newer: () => Promise.reject(new Error('no apt')) };
  await aDayLater();
  assert.equal((await resolveTool(failing, { env, report: silentReporter })).how, 'cache, second');
  assert.deepEqual((await readdir(home)).sort(), ['1.0.0', '1.0.0.looked'], 'nothing else is left');
});
