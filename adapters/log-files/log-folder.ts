import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPlace, ServiceLogLine, ServiceLogTarget, StoredLine } from '../../domain/logs/service-log.ts';
import { type Positions, positionsSchema, serviceLogLineSchema } from './stored-lines.ts';

const SERVICE_ID = /^svc_[0-9a-z]{1,64}$/;
const FILE_NAME = /^([1-9]\d{0,8})\.jsonl$/;
const LINE_END = 0x0a;

/** `<root>/<service id>/<environment>`; null for an id that no service has, and that could name another folder. */
export function logFolder(root: string, { serviceId, environment }: ServiceLogTarget): string | null {
  return SERVICE_ID.test(serviceId) ? join(root, serviceId, environment) : null;
}

export function isServiceId(name: string): boolean {
  return SERVICE_ID.test(name);
}

export function filePath(folder: string, file: number): string {
  return join(folder, `${file}.jsonl`);
}

/** The numbers of the files of a log, ascending; none when there is no such folder. */
export async function fileNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const numbers = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((a, b) => a - b);
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
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
