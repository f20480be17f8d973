import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A RUN instruction that BuildKit in the engine carries out now. */
export interface BuildKitStep {
  readonly id: string;
  /** The attempt at a build that it is of; null for one that is not of this platform. */
  readonly attempt: string | null;
  /** Its control group, as the engine made it. */
  readonly group: string;
  /** Folders of the engine that are mounted into it, such as those of cache mounts. */
  readonly mounted: readonly string[];
}

const STEP_ID = /^[a-z0-9]{25}$/;
const MARK = /(?:^|,)(bld_[0-9a-z]+-[0-9a-f]+)\.build\.invalid(?:,|$)/;

const configSchema = z.object({
  process: z.object({ env: z.array(z.string()) }),
  linux: z.object({ cgroupsPath: z.string() }),
  mounts: z.array(z.object({ type: z.string().default(''), source: z.string().default('') })).default([]),
});

/**
 * What tells the steps of one attempt at a build from all others: a host that is not there, among those that need no proxy.
 * The proxies are the only values that BuildKit gives RUN instructions without making them part of the cache's keys.
 */
export function markOf(attempt: string): string {
  return `${attempt}.build.invalid`;
}

/** Where BuildKit in the engine keeps the containers of running steps. */
export function stepsFolder(engineRoot: string): string {
  return join(engineRoot, 'buildkit', 'executor');
}

/** Ids of the steps that run now. */
export async function runningSteps(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => STEP_ID.test(name));
}

/** A step as it was configured, which the programs in it cannot change; null while it is being made or when it is gone. */
export async function readStep(folder: string, id: string, engineRoot: string): Promise<BuildKitStep | null> {
  const text = await readFile(join(folder, id, 'config.json'), 'utf8').catch(() => null);
  const config = text === null ? null : configSchema.safeParse(parse(text)).data;
  if (config == null) return null;
  // The container file may set the same variable; those of the builder are the last.
  const hosts = config.process.env.findLast((entry) => entry.startsWith('NO_PROXY=')) ?? '';
  const sources = config.mounts.filter(({ type }) => type === 'bind').map(({ source }) => source);
  return {
    id,
    attempt: MARK.exec(hosts.slice('NO_PROXY='.length))?.[1] ?? null,
    group: groupOf(config.linux.cgroupsPath),
    mounted: sources.filter((source) => source.startsWith(`${engineRoot}/`) && !source.startsWith(`${folder}/`)),
  };
}

/** With systemd, `slice:prefix:name` is the scope of that name in the slice. */
function groupOf(path: string): string {
  const [slice, prefix, name] = path.split(':');
  if (name === undefined || slice === undefined) return path.replace(/^\/+/, '');
  return `${slice}/${prefix}-${name}.scope`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // half written
  }
}
