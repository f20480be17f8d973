import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { CliEnv } from '../adapters/env.ts';
import { CliFailure } from './cli-failure.ts';

/** Where the builder API is and the key it accepts. */
export interface Connection {
  /** Base URL without a trailing slash. */
  readonly api: string;
  readonly key: string;
  /** Address of the Temporal UI, where a running stack told it. */
  readonly temporalUi: string | null;
}

/** What `npm start` leaves behind for the command line, readable by its owner only. */
const connectionFile = z.looseObject({
  api: z.url(),
  key: z.string().min(1),
  edgePort: z.number().int().optional(),
  domain: z.string().optional(),
  temporalUi: z.url().nullish(),
});

type ConnectionFile = z.infer<typeof connectionFile>;

/**
 * The API to speak to: `--api-url`, else FAIRLEAD_URL, else the stack that runs from this checkout. The key of the
 * connection file is only ever sent to the address that the same file names.
 *
 * @param root the package root; its `.fairlead/connection.json` is read.
 * @throws CliFailure with exit `auth` or `unreachable`
 */
export function resolveConnection(env: CliEnv, apiUrl: string | undefined, root: string): Connection {
  const path = join(root, '.fairlead', 'connection.json');
  const named = apiUrl ?? env.FAIRLEAD_URL;
  if (named !== undefined && env.FAIRLEAD_KEY !== undefined) {
    return { api: baseUrl(named), key: env.FAIRLEAD_KEY, temporalUi: null };
  }
  const file = readConnectionFile(path);
  const api = named === undefined ? file?.api : baseUrl(named);
  if (api === undefined) {
    throw new CliFailure('NO_CONNECTION', `No builder API is known: there is no ${path}.`, {
      exit: 'unreachable',
      remedy: 'Start the stack with `npm start`, or set FAIRLEAD_URL and FAIRLEAD_KEY.',
    });
  }
  const key = env.FAIRLEAD_KEY ?? (file !== null && baseUrl(file.api) === baseUrl(api) ? file.key : undefined);
  if (key === undefined) {
    throw new CliFailure('NO_KEY', `No key is known for ${api}.`, {
      exit: 'auth',
      remedy: 'Set FAIRLEAD_KEY to the key of that API.',
    });
  }
  return { api: baseUrl(api), key, temporalUi: file?.temporalUi ?? null };
}

function readConnectionFile(path: string): ConnectionFile | null {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return null;
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new CliFailure('CONNECTION_UNSAFE', `Other users of this machine can read the key in ${path}.`, {
      exit: 'auth',
      remedy: `Run \`chmod 600 ${path}\`. If others use this machine, delete it and run \`npm start\` for a new key.`,
    });
  }
  const parsed = connectionFile.safeParse(parseJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new CliFailure('CONNECTION_INVALID', `${path} is not a connection file: ${z.prettifyError(parsed.error)}`, {
    exit: 'unreachable',
    remedy: 'Delete it and run `npm start`, which writes it anew.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON at all: the schema says what it should be.
    return null;
  }
}

function baseUrl(url: string): string {
  return url.replace(/\/+$/, '');
}
