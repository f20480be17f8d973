import { appendFile, mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OUTCOMES, PROBLEMS } from '../../domain/monitors/check-result.ts';
import type { ResultSpool, ShardSpool } from '../../domain/monitors/result-spool.ts';

export interface ResultSpoolOptions {
  /** Made when it is needed. */
  readonly folder: string;
  /** Files of a shard. */
  readonly mostFiles?: number;
  readonly fileBytes?: number;
  /** Told that the oldest results were thrown away. */
  readonly onDrop: (shard: number) => void;
}

/** About 1,700 results. Of 5,000 monitors at 30 s, all files of four shards hold more than an hour and a half. */
const FILE_BYTES = 256 * 1024;
const MOST_FILES = 256;

const resultSchema = z.object({
  monitorId: z.string(),
  at: z.int(),
  outcome: z.enum(OUTCOMES),
  durationMs: z.int(),
  problem: z.enum(PROBLEMS).nullable(),
  status: z.int().nullable(),
  message: z.string().nullable(),
});

/**
 * Results in numbered files, a line each. Each holder of a shard writes to files of its own, and takes away those of any
 * holder before it: a process that was killed leaves at most half a line, which is left out.
 */
export function createResultSpool(options: ResultSpoolOptions): ResultSpool {
  return { open: (shard) => openShard(shard, join(options.folder, String(shard)), options) };
}

function openShard(shard: number, folder: string, options: ResultSpoolOptions): ShardSpool {
  const { mostFiles = MOST_FILES, fileBytes = FILE_BYTES, onDrop } = options;
  /** The file that is written; null: the next results begin one. */
  let current: string | null = null;

  async function begin(): Promise<string> {
    await mkdir(folder, { recursive: true });
    const files = await filesIn(folder);
    for (const oldest of files.slice(0, Math.max(0, files.length - mostFiles + 1))) {
      await unlink(join(folder, oldest));
      onDrop(shard);
    }
    for (let number = numberOf(files.at(-1)) + 1; ; number += 1) {
      const path = join(folder, `${String(number).padStart(12, '0')}.jsonl`);
      if (await isCreated(path)) return path;
    }
  }

  return {
    async append(results) {
      if (results.length === 0) return;
      current ??= await begin();
      await appendFile(current, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
      if ((await stat(current)).size >= fileBytes) current = null;
    },
    async oldest() {
      const [oldest] = await filesIn(folder);
      if (oldest === undefined) return null;
      const path = join(folder, oldest);
      if (path === current) current = null;
      const lines = (await readFile(path, 'utf8')).split('\n');
      return { results: lines.flatMap(parseLine), done: () => unlink(path) };
    },
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d{12}\.jsonl$/.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** False when another holder has it. */
async function isCreated(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function numberOf(name: string | undefined): number {
  return name === undefined ? 0 : Number.parseInt(name, 10);
}

function parseLine(line: string): z.infer<typeof resultSchema>[] {
  try {
    return [resultSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
