import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { ENTRY } from './run-cli.ts';

const ROOT = dirname(dirname(ENTRY));

describe('the entry of the command line', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-entry-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('npx finds it inside the repository, without a registry', () => {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, npm_config_offline: 'true', npm_config_cache: join(folder, 'npm') };
    const text = execFileSync('npx', ['fairlead', '--help'], { cwd: ROOT, env, encoding: 'utf8' });
    assert.match(text, /Usage: npx fairlead/);
  });

  it('runs through a symbolic link from anywhere', () => {
    const link = join(folder, 'fairlead');
    symlinkSync(ENTRY, link);
    const text = execFileSync(link, ['--version'], { cwd: folder, encoding: 'utf8' });
    assert.match(text, /^\d+\.\d+\.\d+\n$/);
  });

  it('says what to run when the dependencies are missing', () => {
    const bare = join(folder, 'bare');
    mkdirSync(join(bare, 'cli'), { recursive: true });
    cpSync(ENTRY, join(bare, 'cli', 'fairlead.mjs'));
    const { status, stderr } = spawnSync(process.execPath, [join(bare, 'cli', 'fairlead.mjs'), 'builds'], {
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /Run `npm start` in .* first/);
  });

  it('doctor and credentials are passed on with their arguments and exit code, even without dependencies', () => {
    const bare = join(folder, 'doctor');
    mkdirSync(join(bare, 'infra', 'dev'), { recursive: true });
    mkdirSync(join(bare, 'cli'));
    cpSync(ENTRY, join(bare, 'cli', 'fairlead.mjs'));
    writeFileSync(
      join(bare, 'infra', 'dev', 'run.mjs'),
      'console.log(process.argv.slice(2).join(" ")); process.exitCode = 7;',
    );
    for (const args of [
      ['doctor', '--json'],
      ['credentials', 'mongo', '--json'],
    ]) {
      const run = spawnSync(process.execPath, [join(bare, 'cli', 'fairlead.mjs'), ...args], { encoding: 'utf8' });
      assert.deepEqual([run.status, run.stdout], [7, `${args.join(' ')}\n`]);
    }
  });

  it('any other Node hands over to the one that the dependencies bring', () => {
    const other = join(folder, 'other');
    mkdirSync(join(other, 'cli'), { recursive: true });
    mkdirSync(join(other, 'node_modules', '.bin'), { recursive: true });
    mkdirSync(join(other, 'node_modules', 'commander'));
    cpSync(ENTRY, join(other, 'cli', 'fairlead.mjs'));
    const node = join(other, 'node_modules', '.bin', 'node');
    writeFileSync(node, '#!/bin/sh\necho "$@"\nexit 6\n');
    chmodSync(node, 0o755);
    // Such a Node says that it cannot run TypeScript; here it is told to.
    const pretend = ['--import', 'data:text/javascript,delete process.features.typescript;'];
    const old = ['--import', "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})"];
    for (const flags of [[...old], [...old, ...pretend]]) {
      const run = spawnSync(process.execPath, [...flags, join(other, 'cli', 'fairlead.mjs'), 'builds', '-q'], {
        encoding: 'utf8',
      });
      assert.deepEqual([run.status, run.stdout], [6, `${join(other, 'cli', 'fairlead.mjs')} builds -q\n`]);
    }
  });

  describe('the cache of compiled code', () => {
    const help = (cache: string) => {
      const { NODE_COMPILE_CACHE: _, ...env } = process.env;
      const run = spawnSync(process.execPath, [ENTRY, '--help'], {
        env: { ...env, XDG_CACHE_HOME: cache },
        encoding: 'utf8',
      });
      assert.deepEqual([run.status, run.stderr], [0, '']);
    };
    const compiled = (cache: string): string[] =>
      readdirSync(cache, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'pruned')
        .map((entry) => join(entry.parentPath, entry.name));

    it('is kept between runs, readable and writable by its owner alone', () => {
      const cache = join(folder, 'kept');
      help(cache);
      const kept = compiled(cache);
      assert.ok(kept.length > 50);
      assert.equal(statSync(join(cache, 'fairlead', 'compiled')).mode & 0o777, 0o700);
      help(cache);
      assert.deepEqual(compiled(cache).sort(), kept.sort(), 'the second run found all of it');
    });

    it('is not used where others may write to it: what stands there is run', () => {
      const cache = join(folder, 'open');
      mkdirSync(join(cache, 'fairlead', 'compiled'), { recursive: true });
      chmodSync(join(cache, 'fairlead', 'compiled'), 0o777);
      help(cache);
      assert.deepEqual(compiled(cache), []);
    });

    it('never fails a command', () => {
      const file = join(folder, 'a-file');
      writeFileSync(file, '');
      help(file);
    });

    it('loses once a day what was compiled more than 30 days ago', async () => {
      const { pruneDaily }: { pruneDaily(folder: string, now: number): void } = await import(
        new URL('../../cli/compile-cache.mjs', import.meta.url).href
      );
      const cache = join(folder, 'old');
      const day = 24 * 60 * 60 * 1000;
      const at = Date.now();
      mkdirSync(join(cache, 'v24'), { recursive: true });
      const entries = { young: 29, old: 31 } as const;
      const make = (): void => {
        for (const [name, days] of Object.entries(entries)) {
          writeFileSync(join(cache, 'v24', name), '');
          utimesSync(join(cache, 'v24', name), new Date(at - days * day), new Date(at - days * day));
        }
      };
      make();
      pruneDaily(cache, at);
      assert.deepEqual(compiled(cache), [join(cache, 'v24', 'young')]);
      make();
      pruneDaily(cache, at + day / 2);
      assert.equal(compiled(cache).length, 2, 'not again on the same day');
    });
  });

  it('the README has the same table of exit codes', () => {
    const readme = readFileSync(join(ROOT, 'cli', 'README.md'), 'utf8').replace(/ +/g, ' ');
    for (const { code, meaning } of EXIT_CODES) assert.ok(readme.includes(`| ${code} | ${meaning} |`), meaning);
  });

  it('help lists every exit code, and each code has one meaning', () => {
    const text = execFileSync(process.execPath, [ENTRY, 'help', 'exit-codes'], { encoding: 'utf8' });
    for (const { code, meaning } of EXIT_CODES) assert.ok(text.includes(`${code}  ${meaning}`));
    assert.equal(new Set(EXIT_CODES.map((row) => row.code)).size, EXIT_CODES.length);
  });

  it('refuses what it does not know with exit 2, as JSON with --json', () => {
    for (const args of [['frobnicate'], ['builds', '--frob'], ['builds', '-n', '0'], ['deploy', '-e', 'moon'], []]) {
      const run = spawnSync(process.execPath, [ENTRY, ...args, '--json'], { encoding: 'utf8' });
      assert.equal(run.status, 2, args.join(' '));
      assert.equal(JSON.parse(run.stdout).error.code, 'USAGE');
    }
  });
});
