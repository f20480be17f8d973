#!/usr/bin/env node
// The entry of the command line, in plain JavaScript so that any Node from 20 on can read it. The rest is TypeScript,
// which the project's own Node runs as it is: this file imports it there, or starts that Node with the same arguments.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
const main = join(root, 'cli', 'main.ts');
const projectNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const args = process.argv.slice(2);

const runsTypeScript = Number(process.versions.node.split('.')[0]) >= 24 && Boolean(process.features.typescript);
const installed = existsSync(join(root, 'node_modules', 'commander'));
const firstWord = args.find((arg) => !arg.startsWith('-'));

// Doctor explains what is missing, so it must not need anything that may be missing. Credentials are those of this
// checkout's stack: they come from its data folder, not from an API.
if (firstWord === 'doctor' || firstWord === 'credentials') {
  const rest = args.filter((_arg, index) => index !== args.indexOf(firstWord));
  run(process.execPath, [join(root, 'infra', 'dev', 'run.mjs'), firstWord, ...rest]);
} else if (!installed) {
  fail(`Fairlead's dependencies are not installed yet. Run \`npm start\` in ${root} first.`);
} else if (runsTypeScript) {
  const { useCompileCache } = await import('./compile-cache.mjs');
  useCompileCache();
  await import(pathToFileURL(main).href);
} else if (existsSync(projectNode)) {
  // As it was typed, which messages repeat.
  run(projectNode, [process.argv[1], ...args]);
} else {
  fail(`Fairlead needs Node 24, which its dependencies bring along. Run \`npm start\` in ${root} first.`);
}

/** Runs a program in this one's place: same terminal, same signals, same exit code. */
function run(command, commandArgs) {
  const child = spawn(command, commandArgs, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${command} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
    process.removeAllListeners();
  });
}

function fail(message) {
  if (args.includes('--json')) {
    const error = { code: 'NOT_INSTALLED', message };
    process.stdout.write(`${JSON.stringify({ success: false, error })}\n`);
  }
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
