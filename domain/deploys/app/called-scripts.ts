import { withoutVariables } from './command-chain.ts';

type Scripts = Readonly<Record<string, string>>;

/** A script that a command runs, and what it gives to it. */
export interface CalledScript {
  readonly name: string;
  readonly given: readonly string[];
}

/** Words of package managers that are no names of scripts. */
export const OWN_WORDS = new Set([
  'add',
  'ci',
  'dlx',
  'exec',
  'i',
  'install',
  'install-clean',
  'create',
  'init',
  'workspace',
  'workspaces',
]);

/** Options of npm that choose another package or folder, wherever they stand before `--`. */
const OF_OTHER_PACKAGE = /^(?:--prefix|--cwd|--dir|--workspaces?|--filter|-C|-w|-ws)(?:=|$)/;

/** The script that a command of a package manager calls, and what it is given; null for any other command. */
export function calledScript(words: readonly string[], scripts: Scripts): CalledScript | null {
  const [program, ...rest] = words;
  if (program === 'node' && rest[0] === '--run') return called(rest[1], rest.slice(2), scripts);
  if (program === undefined || !['npm', 'yarn', 'pnpm', 'bun'].includes(program)) return null;
  if (program === 'npm' && isElsewhere(rest)) return null;
  const silent = rest.filter((word, index) => !(index < 2 && /^(?:-s|--silent|-q|--quiet|-r)$/.test(word)));
  const [verb, ...others] = silent;
  if (verb === 'run' || verb === 'run-script' || verb === 'rum') return called(others[0], others.slice(1), scripts);
  const shorthand = program === 'npm' ? verb === 'start' || verb === 'test' || verb === 'restart' : program !== 'bun';
  if (!shorthand || verb === undefined || verb.startsWith('-') || OWN_WORDS.has(verb)) return null;
  return called(verb, others, scripts);
}

function called(name: string | undefined, given: readonly string[], scripts: Scripts): CalledScript | null {
  if (name === undefined || scripts[name] === undefined) return null;
  return { name, given: given[0] === '--' ? given.slice(1) : given };
}

/** True where the script is that of another package: `npm run build --prefix client`. */
function isElsewhere(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).some((word) => OF_OTHER_PACKAGE.test(word));
}

/** Scripts that one command runs. */
export interface CalledScripts {
  readonly scripts: readonly CalledScript[];
  /** True where each begins once the one before it has ended well, and the command ends with the last. */
  readonly inOrder: boolean;
}

/** Programs that run scripts by their names and patterns of names: `run-s clean 'build:*'`. */
const RUNNERS: Readonly<Record<string, { readonly inOrder: boolean }>> = {
  'npm-run-all': { inOrder: true },
  'npm-run-all2': { inOrder: true },
  'run-s': { inOrder: true },
  'run-p': { inOrder: false },
  concurrently: { inOrder: false },
  conc: { inOrder: false },
};
const ORDERED = /^(?:--sequential|--serial|-[ln]*s[ln]*)$/;
const SIDE_BY_SIDE = /^(?:--parallel|-[ln]*p[ln]*)$/;
/** Options that change nothing but what is printed. */
const NEUTRAL = /^(?:--silent|--print-label|--print-name|-[ln]+)$/;
/** What nobody gives to one command, nor has in a manifest: patterns and scripts are a stranger's, and may each mean all. */
const MAX_WORDS = 20;
const MAX_PATTERNS = 5;
const MAX_CALLED = 30;
const MAX_SCRIPTS = 200;

/**
 * The scripts that a command runs by a program for it; null for any other command. Options that change how they are run,
 * and names of none, make them not in order: then the program itself must be asked.
 */
export function calledScripts(words: readonly string[], scripts: Scripts): CalledScripts | null {
  const [program = '', ...rest] = words;
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  if (runner === undefined || rest.length > MAX_WORDS) return null;
  if (rest.filter((word) => word.includes('*')).length > MAX_PATTERNS) return null;
  const found: CalledScript[] = [];
  let isOrdered = runner.inOrder;
  let ofGroup = 0;
  let inOrder = true;
  for (const word of rest) {
    if (ORDERED.test(word) || SIDE_BY_SIDE.test(word)) {
      isOrdered = ORDERED.test(word);
      ofGroup = 0;
    } else if (!NEUTRAL.test(word)) {
      const named = word.startsWith('-') ? [] : namedScripts(word, scripts);
      found.push(...named);
      ofGroup += named.length;
      inOrder &&= named.length > 0 && (isOrdered || ofGroup <= 1);
    }
  }
  if (found.length > MAX_CALLED) return null;
  return { scripts: found, inOrder: inOrder && found.length > 0 };
}

/** A name or pattern with what is given to it (`"watch -- --fast"`), `npm:name`, or a line of a package manager. */
function namedScripts(word: string, scripts: Scripts): readonly CalledScript[] {
  const [pattern = '', ...given] = word.replace(/^(?:npm|yarn|pnpm|bun):/, '').split(/\s+/);
  const line = calledScript(withoutVariables([pattern, ...given]), scripts);
  if (line !== null) return [line];
  // What it puts in the place of `{1}` is only known to it.
  if (given.some((one) => one.includes('{'))) return [];
  const names = Object.hasOwn(scripts, pattern) ? [pattern] : namesLike(pattern, scripts);
  return names.map((name) => ({ name, given: given[0] === '--' ? given.slice(1) : given }));
}

/** `build:*` stands for any one part after `build:`, `build:**` for any number of them. */
const PATTERN = /^([^*]{0,100})(\*\*?)([^*]{0,100})$/;

function namesLike(pattern: string, scripts: Scripts): readonly string[] {
  const [, before = '', star, after = ''] = PATTERN.exec(pattern) ?? [];
  const names = Object.keys(scripts);
  if (star === undefined || names.length > MAX_SCRIPTS) return [];
  return names.filter((name) => {
    if (name.length < before.length + after.length || !name.startsWith(before) || !name.endsWith(after)) return false;
    const between = name.slice(before.length, name.length - after.length);
    return between !== '' && (star === '**' || !between.includes(':'));
  });
}
