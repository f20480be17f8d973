import { access, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { FairleadError } from '../../../domain/errors.ts';
import { cacheFolder, type Env } from '../project.ts';
import { errorLine, type Reporter } from '../terminal.ts';
import { tryLock, waitForLock } from './folder-lock.ts';

/** One way of getting a tool that is not on the machine. */
export interface ObtainWay {
  /** Such as "official download" or "Go module build". */
  readonly name: string;
  /** How long it usually takes, for the progress line. */
  readonly usual: string;
  /**
   * Leaves the tool's `file` in an empty folder. @throws Error with the reason it could not.
   * @param kept the folder that it takes the place of, where it renews one
   */
  readonly obtain: (folder: string, kept?: string) => Promise<void>;
  /** Whether it brings what is newer in the place of what the cache holds, with which its data goes on. */
  readonly renews?: boolean;
  /** How long after a failure it is not tried again, where something else serves meanwhile; default: not at all. */
  readonly pauseAfterFailureMs?: number;
}

/** An external program the embedded stack needs, and every way of getting it, in order. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** The version that set-up fetches; also the name of its cache folder. */
  readonly version: string;
  /** The program inside the cache folder. */
  readonly file: string;
  /** Variable with the path of the program to use. */
  readonly variable: string;
  /** Names to look for on PATH, in order. */
  readonly onPath: readonly string[];
  /** Runs the program and returns its version. @throws Error when it is not usable. */
  readonly probe: (path: string) => Promise<string>;
  readonly ways: readonly ObtainWay[];
  /** What is newer than what a folder of the cache holds, where the version does not tell; null for nothing. @throws Error where it cannot be told */
  readonly newer?: (folder: string) => Promise<string | null>;
  /** What a folder of the cache holds, where the version does not tell; null for nothing to add. */
  readonly release?: (folder: string) => Promise<string | null>;
  readonly byHand: string;
  /** What a person must know who runs this tool, if anything. */
  readonly limits?: string;
}

export interface ResolvedTool {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  /** Where it came from: the variable, `PATH`, `cache`, or the way it was obtained by. */
  readonly how: string;
}

export interface ResolveOptions {
  readonly env: Env;
  readonly report: Reporter;
  /** False looks but never fetches (doctor). */
  readonly obtain?: boolean;
}

/**
 * Finds a tool: its variable, PATH, the cache, then each way of obtaining it.
 * @throws FairleadError UNAVAILABLE listing every way tried, why it failed, and what to do by hand
 */
export async function resolveTool(tool: Tool, options: ResolveOptions): Promise<ResolvedTool> {
  const given = options.env[tool.variable];
  if (given) return fromVariable(tool, given);
  const tried: string[] = [`${tool.variable}: not set`];
  const installed = await fromPath(tool, options.env, tried);
  if (installed) return installed;
  const cached = await fromCache(tool, options.env, tried);
  if (cached) return (await renew(tool, options)) ?? cached;
  if (options.obtain !== false) {
    const obtained = await obtainLocked(tool, options, tried);
    if (obtained) return obtained;
  }
  const list = tried.map((line) => `  - ${line}`).join('\n');
  throw new FairleadError(
    'UNAVAILABLE',
    `${tool.title} could not be found or fetched:\n${list}\n  By hand: ${tool.byHand}`,
    {
      details: { tool: tool.name, tried },
    },
  );
}

async function fromVariable(tool: Tool, path: string): Promise<ResolvedTool> {
  try {
    return { name: tool.name, path, version: await tool.probe(path), how: tool.variable };
  } catch (error) {
    // A path someone chose is never silently replaced by another.
    throw new FairleadError('UNAVAILABLE', `${tool.variable}=${path} is not usable: ${errorLine(error)}`, {
      cause: error,
    });
  }
}

async function fromPath(tool: Tool, env: Env, tried: string[]): Promise<ResolvedTool | undefined> {
  for (const name of tool.onPath) {
    const path = await which(name, env);
    if (!path) {
      tried.push(`PATH: no ${name}`);
      continue;
    }
    try {
      return { name: tool.name, path, version: await tool.probe(path), how: 'PATH' };
    } catch (error) {
      tried.push(`PATH: ${path}: ${errorLine(error)}`);
    }
  }
  return undefined;
}

/** The path of a program on PATH, if there is one. */
export async function which(name: string, env: Env): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function fromCache(tool: Tool, env: Env, tried: string[]): Promise<ResolvedTool | undefined> {
  const path = join(cacheFolder(env), tool.name, tool.version, tool.file);
  if (!(await isExecutable(path))) {
    tried.push(`cache: no ${path}`);
    return undefined;
  }
  try {
    const release = await tool.release?.(dirname(path));
    const how = release ? `cache, ${release}` : 'cache';
    return { name: tool.name, path, version: await tool.probe(path), how };
  } catch (error) {
    tried.push(`cache: ${path}: ${errorLine(error)}`);
    return undefined;
  }
}

async function obtainLocked(tool: Tool, options: ResolveOptions, tried: string[]): Promise<ResolvedTool | undefined> {
  const home = join(cacheFolder(options.env), tool.name);
  await mkdir(home, { recursive: true }).catch((error: Error) => {
    throw new FairleadError(
      'UNAVAILABLE',
      `the cache folder ${home} is not writable (${error.message}); set XDG_CACHE_HOME to one that is`,
      { cause: error },
    );
  });
  const lock = await waitForLock(join(home, `${tool.version}.lock`), (pid) =>
    options.report.line(`${tool.title}: process ${pid} is fetching it already, waiting`),
  );
  try {
    const ready = await fromCache(tool, options.env, []);
    if (ready) return ready;
    await removeLeftovers(home, tool.version);
    for (const way of tool.ways) {
      const pause = await pauseOf(way, failureMark(home, tool));
      if (pause !== null) {
        tried.push(pause);
        continue;
      }
      const obtained = await tryWay(tool, way, home, options.report, tried);
      if (obtained) return obtained;
    }
    return undefined;
  } finally {
    await lock.release();
  }
}

/** How often is looked for something newer. */
const LOOK_EVERY_MS = 24 * 60 * 60 * 1000;

/**
 * Puts what is newer in the place of what the cache holds, if that can be had. Programs that run keep what they have opened.
 * @returns undefined where nothing is newer, or nothing could be fetched
 */
async function renew(tool: Tool, options: ResolveOptions): Promise<ResolvedTool | undefined> {
  const { newer } = tool;
  if (newer === undefined || options.obtain === false) return undefined;
  const home = join(cacheFolder(options.env), tool.name);
  const looked = join(home, `${tool.version}.looked`);
  if ((await changedAt(looked)) + LOOK_EVERY_MS > Date.now()) return undefined;
  const lock = await tryLock(join(home, `${tool.version}.lock`)).catch(() => null);
  // Somebody else looks, or the cache is not writable.
  if (lock === null || 'heldBy' in lock) return undefined;
  try {
    await writeFile(looked, '');
    const kept = join(home, tool.version);
    const found = await newer(kept).catch(() => null);
    if (found === null) return undefined;
    options.report.line(`${tool.title}: the cache is renewed with ${found}`);
    for (const way of tool.ways.filter(({ renews }) => renews)) {
      const obtained = await tryWay(tool, way, home, options.report, [], kept);
      if (obtained) return obtained;
    }
    return undefined;
  } finally {
    await lock.release();
  }
}

function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Tells by its time when a way failed last, and by its text why. */
const failureMark = (home: string, { version }: Tool): string => join(home, `${version}.failed`);

/** Why a way is not tried now; null when it is. */
async function pauseOf({ name, pauseAfterFailureMs = 0 }: ObtainWay, mark: string): Promise<string | null> {
  const failedAt = await changedAt(mark);
  if (failedAt + pauseAfterFailureMs <= Date.now()) return null;
  const hours = Math.round(pauseAfterFailureMs / 3_600_000);
  return `${name}: failed within the last ${hours} h (${await readFile(mark, 'utf8')}); to try it now, delete ${mark}`;
}

async function tryWay(
  tool: Tool,
  way: ObtainWay,
  home: string,
  report: Reporter,
  tried: string[],
  kept?: string,
): Promise<ResolvedTool | undefined> {
  const folder = join(home, `${tool.version}.partial-${process.pid}`);
  const replaced = `${folder}.replaced`;
  const final = join(home, tool.version);
  try {
    await mkdir(folder, { recursive: true });
    await report.work(`${tool.title}: ${way.name}`, way.usual, () => way.obtain(folder, kept));
    const version = await tool.probe(join(folder, tool.file));
    // Whoever starts the program meanwhile finds the one or the other.
    await rename(final, replaced).catch(() => undefined);
    await rename(folder, final);
    return { name: tool.name, path: join(final, tool.file), version, how: way.name };
  } catch (error) {
    tried.push(`${way.name}: ${errorLine(error)}`);
    report.line(`  ${tool.title}: ${way.name} did not work: ${errorLine(error)}`);
    if (way.pauseAfterFailureMs !== undefined) await writeFile(failureMark(home, tool), errorLine(error));
    return undefined;
  } finally {
    for (const left of [folder, replaced]) await rm(left, { recursive: true, force: true });
  }
}

/** Removes what builders that died left behind; called with the lock held. */
async function removeLeftovers(home: string, version: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(`${version}.partial-`)) await rm(join(home, name), { recursive: true, force: true });
  }
}
