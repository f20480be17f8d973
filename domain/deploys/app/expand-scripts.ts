import { type CalledScript, calledScript, calledScripts, OWN_WORDS } from './called-scripts.ts';
import { type Command, readChain, withoutVariables } from './command-chain.ts';

/** A command of a script, with the names of the scripts that led to it, the outermost first. */
export interface ScriptCommand extends Command {
  readonly through: readonly string[];
}

/** What runs a program of a package, and the program: `yarn exec tsx` is `tsx`. */
const RUNNER = /^((?:yarn|pnpm|bun)(?: run| exec| x)? |npx --no(?:-install)? )(?!(?:run|exec|x) )([a-z@][\w./@-]*)/;

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

/**
 * A script as a chain of commands in which scripts that it calls (`npm run build`, `yarn start`, `run-s clean build`) are
 * replaced by what they hold, with their `pre` and `post` scripts: so no package manager is needed to start the app, and
 * signals reach it. Null where only a shell can tell the commands.
 */
export function expandScript(name: string, scripts: Scripts): readonly ScriptCommand[] | null {
  return expandNamed(name, [], { scripts, commands: 0 }, []);
}

/** A command line, the same way. */
export function expandLine(line: string, scripts: Scripts): readonly ScriptCommand[] | null {
  return expand(line, { scripts, commands: 0 }, []);
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
  const parts = [
    { script: `pre${name}`, text: scripts[`pre${name}`] ?? '' },
    { script: name, text: line },
    // What follows a server never runs.
    { script: `post${name}`, text: scripts[`post${name}`] ?? '' },
  ].filter(({ text }) => text.trim() !== '');
  const chain: ScriptCommand[] = [];
  for (const [index, { script, text }] of parts.entries()) {
    const commands = expand(text, reading, [...through, name]);
    if (commands === null) return null;
    const isLast = index === parts.length - 1;
    joinChain(chain, isLast || !leavesFolder(commands) ? commands : [byNpm(script, [...through, name])]);
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
    // In another folder are the scripts of another package.
    const found = leavesFolder(chain)
      ? [{ ...command, text: runnable(command, null), through }]
      : expandCommand(command, reading, through);
    if (reading.commands > MAX_COMMANDS) return null;
    chain.push(...found);
  }
  return chain;
}

/** The commands of the scripts that a command calls; the command itself where it calls none, or a process of its own must. */
function expandCommand(command: Command, reading: Reading, through: readonly string[]): readonly ScriptCommand[] {
  const words = withoutVariables(command.words);
  const script = calledScript(words, reading.scripts);
  // Variables before a script hold for each of its commands, which npm itself sees to.
  const hasVariables = words.length < command.words.length;
  const inner = hasVariables ? null : expandCalled(words, script, reading, through);
  if (inner === null || (command.joint !== null && leavesFolder(inner))) {
    const names = hasVariables || script === null ? through : [...through, script.name];
    return [{ ...command, text: runnable(command, script), through: names }];
  }
  const last = inner.at(-1);
  return last === undefined ? [] : [...inner.slice(0, -1), { ...last, joint: command.joint }];
}

/** True where what follows runs in another folder. */
function leavesFolder(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => words[0] === 'cd' || words[0] === 'pushd');
}

/** A script in a process of its own, which leaves the folder of the others as it is. */
function byNpm(script: string, through: readonly string[]): ScriptCommand {
  const words = ['npm', 'run', script];
  return { text: words.join(' '), words, joint: null, through: [...through, script] };
}

/** The commands of the script that a command calls, or of the several that it runs one after the other; null for any other. */
function expandCalled(
  words: readonly string[],
  script: CalledScript | null,
  reading: Reading,
  through: readonly string[],
): readonly ScriptCommand[] | null {
  if (script !== null) return expandNamed(script.name, script.given, reading, through);
  const several = calledScripts(words, reading.scripts);
  if (several === null || !several.inOrder) return null;
  const chain: ScriptCommand[] = [];
  for (const { name, given } of several.scripts) {
    const commands = expandNamed(name, given, reading, through);
    if (commands === null) return null;
    joinChain(chain, commands);
  }
  return chain;
}

/** What follows begins once what was there has ended well. */
function joinChain(chain: ScriptCommand[], next: readonly ScriptCommand[]): void {
  const last = chain.pop();
  if (last !== undefined) chain.push({ ...last, joint: last.joint ?? '&&' });
  chain.push(...next);
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
