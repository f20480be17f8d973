import { parse } from 'yaml';
import { z } from 'zod';
import { usageFailure } from '../cli-failure.ts';
import { readGatus } from './gatus.ts';
import { readKuma } from './kuma.ts';
import type { ReadMonitors } from './wanted-monitor.ts';

/** What `monitors export` writes. */
export const exportedFile = z.object({
  version: z.literal(1),
  monitors: z.array(
    z.object({
      name: z.string(),
      environment: z.string(),
      check: z.looseObject({ kind: z.string() }),
      intervalSeconds: z.number(),
      isPublic: z.boolean(),
    }),
  ),
});

/** A file of ours, of Gatus or of Uptime Kuma, told by what is in it. @throws CliFailure with exit `usage` */
export function readMonitorFile(text: string, name: string): ReadMonitors {
  const document = documentOf(text, name);
  const own = exportedFile.safeParse(document);
  const read = own.success ? { monitors: own.data.monitors, notes: [] } : (readGatus(document) ?? readKuma(document));
  if (read !== null) return read;
  const remedy =
    'It takes what `fairlead monitors export` wrote, a configuration of Gatus, and a backup of Uptime Kuma.';
  throw usageFailure(`${name} has no monitors.`, remedy);
}

/** YAML, of which JSON is a part; aliases are bounded, so that a small file stays small. */
function documentOf(text: string, name: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw usageFailure(
      `${name} is neither YAML nor JSON: ${error instanceof Error ? error.message.split('\n')[0] : ''}`,
    );
  }
}
