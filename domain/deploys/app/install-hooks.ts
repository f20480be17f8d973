import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import { programOf } from './command-chain.ts';
import { HOOKS } from './hook-names.ts';
import { commandsOfLine } from './start-command.ts';

/** Programs that need no more than the files that are copied before an install, and some of them not even those. */
const HARMLESS = new Set([
  'echo',
  'exit',
  'husky',
  'is-ci',
  'lefthook',
  'only-allow',
  'patch-package',
  'simple-git-hooks',
  'true',
]);

export interface InstallHooks {
  /** All packages are installed, because a hook may need one for development. */
  readonly needsAll: boolean;
  /** The whole source is copied before the install, because a hook works on it. */
  readonly needsSource: Choice<boolean>;
}

/** What the install scripts of an app need, and those of the packages of its monorepo that are installed with it. */
export function installHooks(manifests: readonly Manifest[]): InstallHooks {
  const hooks = manifests.flatMap(({ scripts }) =>
    HOOKS.map((name) => ({ name, line: scripts[name] ?? '' })).filter(({ line }) => line.trim() !== ''),
  );
  const working = hooks.find(({ line }) => !commandsOfLine(line).every(({ words }) => isHarmless(words)))?.name;
  return {
    needsAll: hooks.length > 0,
    needsSource:
      working === undefined
        ? { value: false, reason: 'no install script needs it' }
        : { value: true, reason: `the ${working} script may need it` },
  };
}

function isHarmless(words: readonly string[]): boolean {
  const program = programOf(words);
  if (program === null || HARMLESS.has(program)) return true;
  if (program === 'npx' || program === 'pnpx')
    return isHarmless(words.slice(1).filter((word) => !word.startsWith('-')));
  // Its schema lies in a folder that is copied before the install.
  return program === 'prisma' && words[1] === 'generate' && words.length === 2;
}
