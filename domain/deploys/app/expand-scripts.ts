import { type Command, readChain, withoutVariables } from './command-chain.ts';

/** A command of a script, with the names of the scripts that led to it, the outermost first. */
export interface ScriptCommand extends Command {
  readonly through: readonly string[];
}

/** What runs a program of a package, and the program: `yarn exec tsx` is `tsx`. */
const RUNNER = /^((?:yarn|pnpm|bun)(?: run| exec| x)? |npx --no(?:-install)? )([a-z@][\w./@-]*)/;

type Scripts = Readonly<Record<string, string>>;

/** What is expanded, and how many commands were looked at so far, in all scripts together. */
interface Reading {
  readonly scripts: Scripts;
  commands: number;
}

/** Scripts may call one another in a circle. */
const MAX_DEPTH = 8;
/** And each several others several times: so many commands nobody starts an app with. */
const MAX_COMMANDS = 500;

/** Words of package managers that are no names of scripts. */
const OWN_WORDS = new Set([
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

/**
 * A script as a chain of commands in which scripts that it calls (`npm run build`, `yarn start`) are replaced by what they
 * hold, with their `pre` and `post` scripts: so no package manager is needed to start the app, and signals reach it.
 * Null where only a shell can tell the commands.
 */
export function expandScript(name: string, scripts: Scripts): readonly ScriptCommand[] | null {
  return expandNamed(name, [], { scripts, commands: 0 }, []);
}

/** A command line, the same way. */
export function expandLine(line: string, scripts: Scripts): readonly ScriptCommand[] | null {
  return expand(line, { scripts, commands: 0 }, []);
}

/** The script that a command calls, and what it is given; null for any other command. */
export function calledScript(words: readonly string[], scripts: Scripts): CalledScript | null {
  const [program, ...rest] = words;
  if (program === 'node' && rest[0] === '--run') return called(rest[1], rest.slice(2), scripts);
  if (program === undefined || !['npm', 'yarn', 'pnpm', 'bun'].includes(program)) return null;
  const silent = rest.filter((word, index) => !(index < 2 && /^(?:-s|--silent|-q|--quiet|-r)$/.test(word)));
  const [verb, ...others] = silent;
  if (verb === 'run' || verb === 'run-script' || verb === 'rum') return called(others[0], others.slice(1), scripts);
  const shorthand = program === 'npm' ? verb === 'start' || verb === 'test' || verb === 'restart' : program !== 'bun';
  if (!shorthand || verb === undefined || verb.startsWith('-') || OWN_WORDS.has(verb)) return null;
  return called(verb, others, scripts);
}

export interface CalledScript {
  readonly name: string;
  readonly given: readonly string[];
}

function called(name: string | undefined, given: readonly string[], scripts: Scripts): CalledScript | null {
  if (name === undefined || scripts[name] === undefined) return null;
  return { name, given: given[0] === '--' ? given.slice(1) : given };
}

function expandNamed(
  name: string,
  given: readonly string[],
  reading: Reading,
  through: readonly string[],
): readonly ScriptCommand[] | null {
  const { scripts } = reading;
  const body = scripts[name];
  if (body === undefined || through.length >= MAX_DEPTH) return null;
  const line = given.length === 0 ? body : `${body} ${given.map(quoted).join(' ')}`;
  const chain: ScriptCommand[] = [];
  for (const part of [scripts[`pre${name}`], line, scripts[`post${name}`]]) {
    // What follows a server never runs.
    if (part === undefined || part.trim() === '') continue;
    const commands = expand(part, reading, [...through, name]);
    if (commands === null) return null;
    const last = chain.pop();
    if (last !== undefined) chain.push({ ...last, joint: last.joint ?? '&&' });
    chain.push(...commands);
  }
  return chain;
}

function expand(line: string, reading: Reading, through: readonly string[]): readonly ScriptCommand[] | null {
  const commands = readChain(line);
  if (commands === null) return null;
  const chain: ScriptCommand[] = [];
  for (const command of commands) {
    reading.commands += 1;
    if (reading.commands > MAX_COMMANDS) return null;
    const words = withoutVariables(command.words);
    const script = calledScript(words, reading.scripts);
    // Variables before a script hold for each of its commands, which npm itself sees to.
    const inner =
      script === null || words.length < command.words.length
        ? null
        : expandNamed(script.name, script.given, reading, through);
    if (reading.commands > MAX_COMMANDS) return null;
    if (inner === null) {
      chain.push({ ...command, text: runnable(command, script), through });
      continue;
    }
    const last = inner.at(-1);
    if (last !== undefined) chain.push(...inner.slice(0, -1), { ...last, joint: command.joint });
  }
  return chain;
}

/** npm is in every image of Node.js; yarn and pnpm are not, and bun is in those of apps that it starts. A program of a package needs no runner. */
function runnable({ text, words }: Command, script: CalledScript | null): string {
  if (script !== null) {
    const variables = words.slice(0, words.length - withoutVariables(words).length).map(quoted);
    const given = script.given.length === 0 ? [] : ['--', ...script.given.map(quoted)];
    return [...variables, 'npm', 'run', script.name, ...given].join(' ');
  }
  const [, runner = '', program = ''] = RUNNER.exec(text) ?? [];
  // Bun runs files itself.
  if (/^bun(?: run)? $/.test(runner) && /\.[cm]?[jt]sx?$/.test(program)) return text;
  return OWN_WORDS.has(program) ? text : text.slice(runner.length);
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
