import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { z } from 'zod';
import { OUTPUT_STREAMS } from '../../domain/logs/output-line.ts';
import {
  PART_NAME,
  type PlatformLogFile,
  type PlatformLogLine,
  type PlatformLogReader,
  type PlatformLogTarget,
} from '../../domain/logs/platform-log.ts';
import { parseJson } from '../../domain/parse-json.ts';
import {
  compressedPath,
  fileNumbers,
  filePath,
  isMissing,
  type LogFolder,
  namesIn,
  type RawLine,
} from './log-folder.ts';
import { partLogFolder, rotationPath } from './part-log-folder.ts';
import { readAfter } from './read-after.ts';
import { readLast } from './read-last.ts';

/** Reads the logs that the supervisor of the platform's programs writes (`part-log.ts`). @param directory `DATA_DIR/logs` */
export function createPlatformLogs({ directory }: { readonly directory: string }): PlatformLogReader {
  return {
    async inventory() {
      const files: PlatformLogFile[] = [];
      const rotated: PlatformLogFile[] = [];
      for (const target of await targetsIn(directory)) {
        const folder = partLogFolder(directory, target);
        if (folder === null) continue;
        const numbers = await fileNumbers(folder);
        for (const number of numbers) {
          const file = await describeFile(directory, { target, folder, number });
          if (file !== null) (number === numbers.at(-1) ? files : rotated).push(file);
        }
      }
      return { files, rotated, rotation: await readRotation(directory) };
    },
    async has(target) {
      const folder = partLogFolder(directory, target);
      return folder !== null && (await fileNumbers(folder)).length > 0;
    },
    async last(target, { count, matches }) {
      return await readLast(partLogFolder(directory, target), { count, decode: lineOf, matches });
    },
    async after(target, place) {
      const folder = partLogFolder(directory, target);
      return folder === null ? { lines: [], next: place, lost: false } : await readAfter(folder, place, lineOf);
    },
  };
}

function lineOf({ bytes, next }: RawLine): PlatformLogLine | null {
  return bytes.length === 0 ? null : { text: bytes.toString('utf8'), next };
}

/** In the order of their names. */
async function targetsIn(directory: string): Promise<readonly PlatformLogTarget[]> {
  const parts = (await namesIn(directory)).filter((name) => PART_NAME.test(name)).sort();
  return parts.flatMap((part) => OUTPUT_STREAMS.map((stream) => ({ part, stream })));
}

interface FileOfLog {
  readonly target: PlatformLogTarget;
  readonly folder: LogFolder;
  readonly number: number;
}

/** Null for one that was removed meanwhile. */
async function describeFile(directory: string, { target, folder, number }: FileOfLog): Promise<PlatformLogFile | null> {
  for (const path of [filePath(folder, number), compressedPath(folder, number)]) {
    try {
      const { size, mtime } = await stat(path);
      return { ...target, path: relative(directory, path), sizeBytes: size, modifiedAt: mtime };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return null;
}

const rotationSchema = z.object({ fileBytes: z.int().positive(), retain: z.int().nonnegative() });

async function readRotation(directory: string) {
  const text = await readFile(rotationPath(directory), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  return rotationSchema.safeParse(parseJson(text)).data ?? null;
}
