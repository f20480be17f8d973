import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { addressForTools, passwordsOf } from '../mongodb-server/address.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { readTool, runTool, type ToolRun, toolMissing } from './tool-output.ts';

export interface MongoToolsOptions {
  /** DB_MONGODB_ADMIN_URI */
  readonly adminUri: string;
  /** Where `mongodump` and `mongorestore` are; null: on the PATH of `env`. */
  readonly toolsDir: string | null;
  /** What the tools see of the environment. */
  readonly env: ProcessEnv;
  /** How long a tool looks for a server that went away. Default 10. */
  readonly selectionSeconds?: number;
}

/** `mongodump` and `mongorestore` with the administrator's credentials. */
export interface MongoTools {
  /** @throws DUMP_FAILED, DUMP_TOOL_MISSING, what `read` throws, the abort reason */
  dump<T>(
    args: readonly string[],
    read: (archive: AsyncIterable<Uint8Array>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** @throws RESTORE_FAILED, DUMP_TOOL_MISSING, an error of the archive, the abort reason */
  restore(args: readonly string[], archive: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}

const SELECTION_SECONDS = 10;

/** What stands behind the time when a tool fails. From the first brace on it quotes documents, or the way to the server. */
const OWN_LINE = /^\S+\t(?:Failed: |(?=error |could not ))([^{]*)/;

/**
 * The first line of standard input says how the server is reached, and the tool reads it from a pipe: so the address with
 * its password is in no argument, no variable of the tool and no file. The rest of standard input is the tool's. `read`
 * takes no byte beyond the line.
 */
const WITH_CONFIG = `IFS= read -r config && exec "$@" --config=/dev/fd/9 9<<END
$config
END`;

export function createMongoTools(options: MongoToolsOptions): MongoTools {
  const { adminUri, toolsDir, env, selectionSeconds = SELECTION_SECONDS } = options;
  const uri = addressForTools(adminUri);
  // In YAML a string of JSON is a string.
  const config = `uri: ${JSON.stringify(uri)}\n`;
  async function* withConfig(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield Buffer.from(config);
    yield* archive;
  }
  const toRun = async <Options extends { readonly signal: AbortSignal }>(
    name: 'mongodump' | 'mongorestore',
    args: readonly string[],
    given: Options,
  ): Promise<ToolRun<Options & { readonly env: ProcessEnv }>> => {
    const program = await findProgram(name, toolsDir, env.PATH ?? '');
    return {
      program: '/bin/sh',
      name,
      args: ['-c', WITH_CONFIG, name, program, `--serverSelectionTimeout=${selectionSeconds}`, ...args],
      options: { env, ...given },
      secrets: passwordsOf(uri),
      code: name === 'mongodump' ? 'DUMP_FAILED' : 'RESTORE_FAILED',
      ownLine: OWN_LINE,
    };
  };
  return {
    async dump(args, read, signal) {
      const run = await toRun('mongodump', ['--archive', ...args], { input: config, signal });
      return (await readTool(run, read)).result;
    },
    async restore(args, archive, signal) {
      // Documents may be older than the rules of their collection, which the server asks of new ones alone.
      const always = ['--archive', '--stopOnError', '--writeConcern=majority', '--bypassDocumentValidation'];
      await runTool(await toRun('mongorestore', [...always, ...args], { input: withConfig(archive), signal }));
    },
  };
}

/** @throws DUMP_TOOL_MISSING */
async function findProgram(name: string, toolsDir: string | null, path: string): Promise<string> {
  const folders = toolsDir === null ? path.split(delimiter).filter((folder) => folder !== '') : [toolsDir];
  for (const folder of folders) {
    const program = join(folder, name);
    if (await isExecutable(program)) return program;
  }
  throw toolMissing(name);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** A name as a pattern of namespaces has it: only `*` and a backslash are special there. */
export function namespacesOf(database: string): string {
  return `${database.replaceAll('\\', '\\\\').replaceAll('*', '\\*')}.*`;
}
