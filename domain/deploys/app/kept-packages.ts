import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import type { Command } from './command-chain.ts';
import { packagesOf } from './programs.ts';
import { reachedCommands } from './reached-commands.ts';

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
  const needed = reachedCommands(commands, manifest.scripts).flatMap(({ words }) => packagesOf(words, manifest));
  const found = [...needed, ...packages].find(isForDevelopment);
  if (found === undefined) return { value: false, reason: 'the app starts without them' };
  return { value: true, reason: `the app needs ${found} to start, which is in devDependencies` };
}
