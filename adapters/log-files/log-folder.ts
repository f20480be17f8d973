import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LogPlace, ServiceLogLine, ServiceLogTarget, StoredLine } from '../../domain/logs/service-log.ts';
import { type Positions, positionsSchema, serviceLogLineSchema } from './stored-lines.ts';

const SERVICE_ID = /^svc_[0-9a-z]{1,64}$/;
const FILE_NAME = /^([1-9]\d{0,8})\.(jsonl|log)(?:\.gz)?$/;
const LINE_END = 0x0a;

/**
 * A log: a folder of numbered files. The highest number is written; the others are rotated, and sooner or later compressed
 * as `<number>.<extension>.gz`. Nothing is ever renumbered, so a place in a log stays what it is.
 */
export interface LogFolder {
  readonly path: string;
  readonly extension: 'jsonl' | 'log';
}

/** `<root>/<service id>/<environment>`; null for an id that no service has, and that could name another folder. */
export function serviceLogFolder(root: string, { serviceId, environment }: ServiceLogTarget): LogFolder | null {
  return SERVICE_ID.test(serviceId) ? { path: join(root, serviceId, environment), extension: 'jsonl' } : null;
}

export function isServiceId(name: string): boolean {
  return SERVICE_ID.test(name);
}

export function filePath({ path, extension }: LogFolder, file: number): string {
  return join(path, `${file}.${extension}`);
}

export function compressedPath(folder: LogFolder, file: number): string {
  return `${filePath(folder, file)}.gz`;
}

/** The number in the name of a file of the log, compressed or not; null for any other name. */
export function fileNumber({ extension }: LogFolder, name: string): number | null {
  const [, number, ending] = FILE_NAME.exec(name) ?? [];
  return number === undefined || ending !== extension ? null : Number(number);
}

/** The numbers of the files of a log, ascending; none when there is no such folder. */
export async function fileNumbers(folder: LogFolder): Promise<number[]> {
  const names = await namesIn(folder.path);
  const numbers = new Set(names.flatMap((name) => fileNumber(folder, name) ?? []));
  return [...numbers].sort((a, b) => a - b);
}

/** The number of the file that is written. One that is compressed is written no more. @param files numbers, ascending */
export async function writtenNumber(folder: LogFolder, files: readonly number[]): Promise<number> {
  const newest = files.at(-1);
  if (newest === undefined) return 1;
  return (await namesIn(folder.path)).includes(basename(compressedPath(folder, newest))) ? newest + 1 : newest;
}

/** What is in a folder; nothing when there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** A line of a file as bytes, and where it ends. */
export interface RawLine {
  readonly bytes: Buffer;
  readonly next: LogPlace;
}

/** The whole lines of a piece of a file that begins at `start`. What follows the last line end is still being written. */
export function rawLines(piece: Buffer, start: LogPlace): RawLine[] {
  const lines: RawLine[] = [];
  let from = 0;
  for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, from)) {
    const next = { file: start.file, offset: start.offset + end + 1 };
    lines.push({ bytes: piece.subarray(from, end), next });
    from = end + 1;
  }
  return lines;
}

/** The line that a file holds there; null for what is none, such as the positions that a writer notes. */
export function storedLine({ bytes, next }: RawLine): StoredLine | null {
  const parsed = serviceLogLineSchema.safeParse(parseLine(bytes));
  if (!parsed.success) return null;
  const { dropped, ...line } = parsed.data;
  const kept: ServiceLogLine = dropped === undefined ? line : { ...line, dropped };
  return { line: kept, next };
}

const POSITIONS_START = Buffer.from('{"positions":');

/** The positions that a line notes; null for any other line. */
export function storedPositions({ bytes }: RawLine): Positions | null {
  if (!bytes.subarray(0, POSITIONS_START.length).equals(POSITIONS_START)) return null;
  return positionsSchema.safeParse(parseLine(bytes)).data?.positions ?? null;
}

function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // Whatever stands there was not written by us: it is passed over.
    return null;
  }
}
