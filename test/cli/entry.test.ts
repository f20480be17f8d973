import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
    assert.match(text, /Usage: fairlead/);
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

  it('doctor is passed on with its arguments and exit code, even without dependencies', () => {
    const bare = join(folder, 'doctor');
    mkdirSync(join(bare, 'infra', 'dev'), { recursive: true });
    mkdirSync(join(bare, 'cli'));
    cpSync(ENTRY, join(bare, 'cli', 'fairlead.mjs'));
    writeFileSync(
      join(bare, 'infra', 'dev', 'run.mjs'),
      'console.log(process.argv.slice(2).join(" ")); process.exitCode = 7;',
    );
    const run = spawnSync(process.execPath, [join(bare, 'cli', 'fairlead.mjs'), 'doctor', '--json'], {
      encoding: 'utf8',
    });
    assert.deepEqual([run.status, run.stdout], [7, 'doctor --json\n']);
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
      assert.deepEqual([run.status, run.stdout], [6, `${join(other, 'cli', 'main.ts')} builds -q\n`]);
    }
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
