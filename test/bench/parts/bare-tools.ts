import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { S3Options } from '../../../adapters/s3/object-store.ts';

const TRANSFERS = fileURLToPath(new URL('./aws-cli-transfers.ts', import.meta.url));

/** The tools of an engine piped to and from the object store, as an operator without the platform would do it. */
export interface BareTools {
  backUp(database: string, key: string): Promise<void>;
  /** Into a new database, which is dropped then. @returns how many ms it took until it was there */
  restore(from: string, key: string): Promise<number>;
}

/** A program with its arguments, and what its environment has besides. */
export interface BareTool {
  readonly program: string;
  /** As bash reads them: they may name variables of the environment. */
  readonly args: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Pipes what a tool writes to the store. @throws Error when either of them fails */
export async function pipeToStore(tool: BareTool, store: S3Options, key: string): Promise<void> {
  await run(`"$PROGRAM" ${tool.args} | "$NODE" "$@"`, tool, ['put', ...placeOf(store, key)], store);
}

/** Pipes an archive from the store into a tool. */
export async function pipeFromStore(tool: BareTool, store: S3Options, key: string): Promise<void> {
  await run(`"$NODE" "$@" | "$PROGRAM" ${tool.args}`, tool, ['get', ...placeOf(store, key)], store);
}

function placeOf({ endpoint = '', bucket }: S3Options, key: string): readonly string[] {
  return [endpoint, bucket, key];
}

async function run(script: string, { program, env }: BareTool, args: readonly string[], store: S3Options) {
  const child = spawn('bash', ['-ceu', '-o', 'pipefail', script, 'bare', TRANSFERS, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...{ PATH: process.env.PATH, NODE: process.execPath, PROGRAM: program, ...env },
      ...{ AWS_ACCESS_KEY_ID: store.accessKey, AWS_SECRET_ACCESS_KEY: store.secretKey, NODE_NO_WARNINGS: '1' },
    },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
}

/** How many ms something takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
