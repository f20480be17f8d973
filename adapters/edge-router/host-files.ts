import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { checkedHostName, isHostName } from '../../domain/custom-domains/certificates/host-name.ts';
import type { EdgeHost, EdgeHosts, EdgeHostTarget } from '../../domain/custom-domains/certificates/ports.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { placeFile, removeFile } from './place-file.ts';

/**
 * The customers' host names as files, one a name, renamed into place. They stand beside the routes of services, whose
 * folders have a dot in their names.
 */

const EXTENSION = '.json';

const hostSchema = z.object({
  service: z.string().min(1),
  environment: z.enum(ENVIRONMENTS),
  serves: z.enum(['everything', 'challenge-only']),
  redirectTo: z.string().refine(isHostName).optional(),
  redirectToTls: z.boolean(),
  hsts: z.literal(true).optional(),
});

/** @throws ZodError for what is none */
export function parseHostFile(text: string): EdgeHostTarget {
  const { redirectTo, hsts, ...target } = hostSchema.parse(parseJson(text));
  return { ...target, ...(redirectTo !== undefined && { redirectTo }), ...(hsts !== undefined && { hsts }) };
}

/** @param host a host name, which cannot leave the folder */
export function hostFile(routesDirectory: string, host: string): string {
  return join(hostFolder(routesDirectory), `${host}${EXTENSION}`);
}

function hostFolder(routesDirectory: string): string {
  return join(routesDirectory, 'hosts');
}

export function createEdgeHosts(routesDirectory: string): EdgeHosts {
  return {
    async put(host, target) {
      const stored = parseHostFile(JSON.stringify(target));
      await placeFile(hostFile(routesDirectory, checkedHostName(host)), JSON.stringify(stored));
    },
    async remove(host) {
      await removeFile(hostFile(routesDirectory, checkedHostName(host)));
    },
    async list() {
      const hosts = (await namesIn(hostFolder(routesDirectory))).flatMap((name) => {
        const host = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : '';
        return isHostName(host) ? [host] : [];
      });
      const found: EdgeHost[] = [];
      for (const host of hosts.sort()) {
        const target = await readTarget(hostFile(routesDirectory, host));
        if (target !== null) found.push({ host, ...target });
      }
      return found;
    },
  };
}

/** Null for one that was removed meanwhile. @throws INTERNAL for a file that holds something else */
async function readTarget(path: string): Promise<EdgeHostTarget | null> {
  const text = await readFile(path, 'utf8').catch(nullWithoutFile);
  if (text === null) return null;
  try {
    return parseHostFile(text);
  } catch (cause) {
    throw new FairleadError('INTERNAL', `${path} cannot be used`, { cause });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(nullWithoutFile)) ?? [];
}

function nullWithoutFile(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
