import type { Manifest } from '../../catalog/read-manifest.ts';
import { FairleadError } from '../../errors.ts';
import type { Choice } from './app-description.ts';

const ENTRY_FILES = ['server.js', 'index.js', 'app.js', 'main.js', 'server.mjs', 'index.mjs', 'server.ts', 'index.ts'];

/**
 * The exec-form command that starts an app. A plain `node …` start script runs without a shell, so that signals reach
 * the app itself; other scripts run in a shell that is replaced where the script is one command.
 *
 * @throws CONTAINER_FILE_INVALID when the manifest says no way to start.
 */
export function startCommand(
  manifest: Manifest,
  files: readonly string[],
  warnings: string[],
): Choice<readonly string[]> {
  const script = manifest.scripts.start?.trim();
  if (script !== undefined && script !== '') {
    return { value: fromScript(script, warnings), reason: 'package.json has a start script' };
  }
  if (manifest.main !== null) return { value: ['node', manifest.main], reason: 'main in package.json names it' };
  const entry = ENTRY_FILES.find((file) => files.includes(file));
  if (entry !== undefined) return { value: ['node', entry], reason: 'the usual entry file' };
  throw new FairleadError(
    'CONTAINER_FILE_INVALID',
    'package.json names no way to start the app: add a "start" script such as "node server.js", or "main"',
  );
}

function fromScript(script: string, warnings: string[]): readonly string[] {
  if (/^node\s[\w./=:@%+,\s-]+$/.test(script)) return script.split(/\s+/);
  if (!/[;&|<>()`\n]/.test(script)) {
    const words = /^\w+=/.test(script) ? `env ${script}` : script;
    return ['/bin/sh', '-c', `exec ${words}`];
  }
  warnings.push(
    'the start script is more than one command, so stop signals reach its shell first; prefer "node <file>"',
  );
  return ['/bin/sh', '-c', script];
}
