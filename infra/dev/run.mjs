// Entry of every development command: set-up first (plain JS for any Node >= 20), then the command on the project's
// own Node. Usage: node infra/dev/run.mjs start|test|bench|corpus|cluster|image|check|doctor|credentials|pack-sdk|
// recovery-key|restore-platform [args]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pruneCompileCache } from '../../cli/compile-cache.mjs';

const COMMANDS = [
  ...['start', 'test', 'bench', 'corpus', 'cluster', 'image', 'check', 'doctor', 'credentials', 'pack-sdk'],
  ...['recovery-key', 'restore-platform'],
];
const OLDEST_NODE = 20;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.fairlead-setup');

function fail(message) {
  process.stderr.write(`fairlead: ${message}\n`);
  process.exit(1);
}

function wantedHash() {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(root, name))).update('\0');
  return hash.digest('hex');
}

function isSetUp(hash) {
  if (!existsSync(join(bin, 'node'))) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  // Such as after a change of a script alone.
  if (!isInstalled()) return false;
  writeFileSync(stamp, hash);
  return true;
}

/** True when npm's own record of what it installed has all that the lock file asks for, as after an `npm ci` that somebody ran. */
function isInstalled() {
  try {
    const read = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8')).packages;
    const installed = read('node_modules', '.package-lock.json');
    const wanted = Object.entries(read('package-lock.json')).filter(([path]) => path !== '');
    return wanted.every(([path, { version, integrity, optional, devOptional, link }]) => {
      const found = installed[path];
      // Those of other systems are left out.
      if (found === undefined) return Boolean(optional || devOptional || link);
      return found.version === version && found.integrity === integrity;
    });
  } catch {
    // No record, or none that can be read.
    return false;
  }
}

/** Runs a program to its end; resolves with its exit code and what it wrote. */
function runToEnd(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

async function setUp() {
  const hash = wantedHash();
  if (isSetUp(hash)) return;
  const startedAt = Date.now();
  process.stderr.write('Installing dependencies (npm ci, usually 20 to 60 s) …\n');
  const { code, output } = await runToEnd('npm', [
    'ci',
    '--include=dev',
    '--loglevel=error',
    '--no-fund',
    '--no-audit',
  ]);
  if (code !== 0) {
    const reason =
      output.split('\n').find((line) => /npm error (?!code|A complete log)/.test(line)) ??
      output.trim().split('\n').pop();
    fail(
      `npm ci failed: ${(reason ?? '').replace(/^npm error /, '').trim() || `exit code ${code}`}. Run "npm ci" to see all of it.`,
    );
  }
  if (!existsSync(join(bin, 'node')))
    fail('npm ci left no node_modules/.bin/node. Allow install scripts for the "node" package, then run "npm ci".');
  writeFileSync(stamp, hash);
  process.stderr.write(`Dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`);
}

function runCommand(command, args) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  const script = join(root, 'infra', 'dev', `${command}.ts`);
  const child = spawn(join(bin, 'node'), ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: 'inherit',
    env,
  });
  // A terminal sends Ctrl-C to the whole group; a supervisor sends to this process alone. Both reach the child:
  // it takes signals that arrive within a moment of each other for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) =>
    fail(`cannot run ${join(bin, 'node')}: ${error.message}. Remove node_modules and try again.`),
  );
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

const [command, ...args] = process.argv.slice(2);
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`needs Node ${OLDEST_NODE} or later to begin (this is ${process.version}); see https://nodejs.org.`);
}
if (!COMMANDS.includes(command ?? '')) fail(`unknown command "${command ?? ''}": one of ${COMMANDS.join(', ')}.`);
await setUp();
pruneCompileCache();
runCommand(command, args);
