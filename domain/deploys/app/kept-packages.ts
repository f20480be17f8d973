import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import { type Command, withoutVariables } from './command-chain.ts';
import { calledScript, expandScript } from './expand-scripts.ts';
import { packagesOf } from './programs.ts';

/** Programs that run scripts by their names. */
const SCRIPT_RUNNERS = new Set(['concurrently', 'conc', 'npm-run-all', 'npm-run-all2', 'run-p', 'run-s', 'npm']);

/**
 * Whether packages that are only for development stay in the image: exactly when what starts the app needs one of them,
 * or one of these packages, such as the framework itself, is among them.
 */
export function keptPackages(
  commands: readonly Command[],
  manifest: Manifest,
  packages: readonly string[],
): Choice<boolean> {
  const isForDevelopment = (name: string): boolean =>
    manifest.dependencies.has(name) && !manifest.runtimeDependencies.has(name);
  const needed = reachedBy(commands, manifest).flatMap(({ words }) => packagesOf(words, manifest));
  const found = [...needed, ...packages].find(isForDevelopment);
  if (found === undefined) return { value: false, reason: 'the app starts without them' };
  return { value: true, reason: `the app needs ${found} to start, which is in devDependencies` };
}

/** The commands, and those of the scripts that one of them runs by name. */
function reachedBy(commands: readonly Command[], { scripts }: Manifest): readonly Command[] {
  return commands.flatMap((command) => {
    const [program = ''] = withoutVariables(command.words);
    if (!SCRIPT_RUNNERS.has(program)) return [command];
    const names = command.words.flatMap((word) => {
      const called = calledScript(word.split(/\s+/), scripts)?.name ?? word.replace(/^npm:/, '');
      return scripts[called] === undefined ? [] : [called];
    });
    return [command, ...names.flatMap((name) => expandScript(name, scripts) ?? [])];
  });
}
