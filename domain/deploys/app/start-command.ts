import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { FairleadError } from '../../errors.ts';
import type { Choice } from './app-description.ts';
import { type Command, readChain, withoutVariables, writeChain } from './command-chain.ts';
import { entryFile } from './entry-file.ts';
import { expandLine, expandScript, type ScriptCommand } from './expand-scripts.ts';
import { inAnImage } from './in-an-image.ts';
import { isBuild } from './programs.ts';
import { workspaceServer } from './workspace-server.ts';

/** How an app is started. */
export interface Start {
  /** Exec form. */
  readonly command: Choice<readonly string[]>;
  /** Its commands; the line itself as one where only a shell can tell them. */
  readonly commands: readonly Command[];
  /** What it would build with first, which runs when the image is built instead. */
  readonly builds: readonly ScriptCommand[];
  readonly warnings: readonly string[];
}

/** Scripts that start what was built, where `start` is for development or missing. */
const PRODUCTION_SCRIPTS = ['start:prod', 'start:production', 'start-prod', 'production', 'prod'];
const OTHER_SCRIPTS = ['serve', 'server'];

/** So many packages of a monorepo are named in a message. */
const MAX_MEMBERS = 10;

const FOR_DEVELOPMENT = ', and its start script is for development';

/** A start for development: it watches, or builds in memory. */
const DEVELOPMENT =
  /\bnodemon\b|\bts-node-dev\b|\btsnd\b|--watch\b|\bwatch\b|\bnest start\b|\b(?:next|astro|vite|nuxt|nuxi|wrangler|remix|gatsby|tsup) (?:dev|develop)\b|\b(?:ng|nx) serve\b/;

/**
 * What starts an app: the catalog's word, Procfile's `web`, the `start` script with `prestart`, another script for
 * production, `main`, or the usual entry file. What it builds first is built with the image, because the app runs
 * without the tools of development and cannot write to its own folder.
 *
 * @throws CONTAINER_FILE_INVALID when nothing says how to start the app.
 */
export function startCommand(manifest: Manifest, source: AppSource, declared: string | null): Start {
  const found = statedStart(manifest, source, declared);
  if (found !== null) return startOf(found, manifest, source);
  const entry = workspaceServer(manifest, source)?.command ?? entryFile(manifest, source);
  if (entry !== null) {
    const command = { text: entry.value.join(' '), words: entry.value, joint: null };
    return { command: entry, commands: [command], builds: [], warnings: [] };
  }
  throw new FairleadError('CONTAINER_FILE_INVALID', noStart(source));
}

/** Of the root of a monorepo, which has no start of its own, the packages are the apps. */
function noStart({ texts }: AppSource): string {
  const members = Object.keys(texts).filter((path) => path.endsWith(`/${MANIFEST}`) && /^[\w./@-]+$/.test(path));
  if (members.length === 0) {
    return 'package.json names no way to start the app: add a "start" script such as "node server.js", or "main"';
  }
  const named = members.slice(0, MAX_MEMBERS).map((path) => path.slice(0, -MANIFEST.length - 1));
  const more = members.length - named.length;
  const folders = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `package.json names no way to start the app, and is the root of a monorepo: give the folder of one of its packages with --dir (${folders})`;
}

/** A line that starts the app, or the name of a script that does. */
interface Stated {
  readonly line: string;
  readonly script: string | null;
  readonly reason: string;
}

/** What states how the app is started; null where nothing does. */
export function statedStart(manifest: Manifest, source: AppSource, declared: string | null): Stated | null {
  if (declared !== null) return { line: declared, script: null, reason: 'platform.io/start-command declares it' };
  const web = /^web:[ \t]*(\S.{0,4000})$/m.exec(source.texts.Procfile ?? '')?.[1]?.trim();
  if (web !== undefined) return { line: web, script: null, reason: 'web in Procfile names it' };
  const { scripts } = manifest;
  const script = (name: string, why: string): Stated => ({
    line: scripts[name] ?? '',
    script: name,
    reason: `package.json has a ${name} script${why}`,
  });
  const production = PRODUCTION_SCRIPTS.find((name) => isFilled(scripts[name]));
  const server = production === undefined ? workspaceServer(manifest, source) : null;
  if (server !== null) return server.script === null ? null : script(server.script, FOR_DEVELOPMENT);
  if (isFilled(scripts.start)) {
    const isDevelopment = DEVELOPMENT.test(scripts.start);
    return isDevelopment && production !== undefined ? script(production, FOR_DEVELOPMENT) : script('start', '');
  }
  const other = production ?? OTHER_SCRIPTS.find((name) => isFilled(scripts[name]));
  return other === undefined ? null : script(other, ' and no start script');
}

function startOf({ line, script, reason }: Stated, { scripts }: Manifest, source: AppSource): Start {
  const chain = script === null ? expandLine(line, scripts) : expandScript(script, scripts);
  // npm says these to scripts alone.
  if (script !== null && /npm_(?:package|config|lifecycle)_/.test(line)) return asNpm(script, reason, chain ?? []);
  if (chain === null || chain.length === 0) {
    const commands = [{ text: line, words: line.split(/\s+/), joint: null }];
    return { command: { value: shell(line), reason }, commands, builds: [], warnings: [SHELL_WARNING] };
  }
  const first = chain.findIndex((command, index) => !isHoisted(command, index, chain));
  const rest = (first < 0 ? chain : chain.slice(first)).map((command) => inAnImage(command, source));
  const builds = first < 0 ? [] : chain.slice(0, first);
  const isLinear = rest.every(({ joint }) => joint === '&&' || joint === ';' || joint === null);
  return {
    command: { value: execForm(rest, isLinear), reason },
    commands: rest,
    builds,
    warnings: isLinear ? [] : [SHELL_WARNING],
  };
}

const SHELL_WARNING =
  'the start command needs a shell that stays, so stop signals reach that shell first; prefer "node <file>"';

/** A build that runs to its end before the next command begins, and is not the whole of it. */
function isHoisted({ words, joint, through }: ScriptCommand, index: number, chain: readonly ScriptCommand[]): boolean {
  return index < chain.length - 1 && (joint === '&&' || joint === ';') && isBuild(words, through);
}

function asNpm(script: string, reason: string, commands: readonly Command[]): Start {
  return { command: { value: ['npm', 'run', script], reason }, commands, builds: [], warnings: [] };
}

/** One plain command runs without a shell; the last of several takes the shell's place, so that signals reach it. */
function execForm(commands: readonly Command[], isLinear: boolean): readonly string[] {
  const [only] = commands;
  if (only !== undefined && commands.length === 1 && /^node\s[\w./=:@%+,\s-]+$/.test(only.text)) return only.words;
  const last = commands.at(-1);
  if (!isLinear || last === undefined || !canReplaceShell(last)) return shell(writeChain(commands));
  const isSet = withoutVariables(last.words).length < last.words.length;
  const text = `exec ${isSet ? 'env ' : ''}${last.text}`;
  return shell(writeChain([...commands.slice(0, -1), { ...last, text }]));
}

function canReplaceShell({ words }: Command): boolean {
  return !['cd', 'export', 'set', 'source', '.', 'if', 'for', 'while', 'exec', '!'].includes(words[0] ?? '');
}

function shell(line: string): readonly string[] {
  return ['/bin/sh', '-c', line];
}

/** The commands of a line that a build or hook runs; the line itself where only a shell can tell them. */
export function commandsOfLine(line: string): readonly Command[] {
  return readChain(line) ?? [{ text: line, words: line.split(/\s+/), joint: null }];
}

function isFilled(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
