import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { Clock } from '../../domain/clock.ts';
import { CUT_MARK } from '../../domain/logs/cut-line.ts';
import { createKnownRedactor } from '../../domain/logs/redact.ts';
import { isRotationDue, type LogRotation, type WrittenFile } from '../../domain/logs/rotation.ts';
import { compressedPath, fileNumber, filePath, type LogFolder } from './log-folder.ts';
import { retireFiles } from './retire-files.ts';

/** The log of one output of a program, for the process that started the program. */
export interface PartLog {
  /**
   * Writes what the program printed, before it returns: what it said last is there when this process dies with it. Of a
   * line that is not ended, what comes after it is waited for. Never throws: what a full disk does not take is counted.
   */
  write(chunk: Buffer): void;
  /** Writes a line that was not ended: the program has ended. */
  end(): void;
  /** To be called every half a minute: see {@link LogRotation}. @throws errors of the file system */
  look(): Promise<void>;
  /** What is written from then on is lost. */
  close(): void;
}

interface PartLogOptions {
  readonly rotation: LogRotation;
  readonly now: Clock;
  /** Values that must not be written, whoever prints them. */
  readonly secrets: readonly string[];
}

interface Current extends WrittenFile {
  readonly number: number;
  readonly descriptor: number;
}

const LINE_END = 0x0a;
/** A longer line is cut. */
const LINE_BYTES = 64 * 1024;

/** Opens the log of an output; its folder is made. @throws errors of the file system */
export function openPartLog(folder: LogFolder, { rotation, now, secrets }: PartLogOptions): PartLog {
  const redact = createKnownRedactor(secrets);
  mkdirSync(folder.path, { recursive: true, mode: 0o700 });
  let current = openNewest(folder);
  /** Of a line that is not ended yet. */
  let open = Buffer.alloc(0);
  let isTooLong = false;
  let dropped = 0;
  let isClosed = false;

  const begin = (): void => {
    // Not always the one after the current: what a rotation that failed half-way made is not taken again.
    const number = Math.max(newestNumber(readdirSync(folder.path), folder), current.number) + 1;
    const descriptor = openSync(filePath(folder, number), 'ax', 0o600);
    const before = current.descriptor;
    current = { number, descriptor, bytes: 0, hasLines: false, writtenAt: now() };
    closeSync(before);
  };
  const append = (text: string): boolean => {
    const bytes = Buffer.from(text);
    try {
      const due = { fileBytes: rotation.fileBytes, now: now(), more: bytes.length };
      if (isRotationDue(current, due)) begin();
      writeWhole(current, bytes);
      current = { ...current, bytes: current.bytes + bytes.length, hasLines: true, writtenAt: now() };
      return true;
    } catch {
      // The platform goes on while its disk is full; the log says later that it has a hole.
      return false;
    }
  };
  const appendLines = (text: string): void => {
    if (dropped > 0 && append(droppedNotice(dropped, now()))) dropped = 0;
    if (!append(text)) dropped += text.split('\n').length - 1;
  };
  const addOpen = (rest: Buffer): void => {
    if (isTooLong || rest.length === 0) return;
    open = Buffer.concat([open, rest]);
    if (open.length <= LINE_BYTES) return;
    // A cut character at the end decodes to U+FFFD.
    const kept = open
      .subarray(0, LINE_BYTES)
      .toString('utf8')
      .replace(/\uFFFD$/, '');
    appendLines(`${redact(kept, true)}${CUT_MARK}\n`);
    open = Buffer.alloc(0);
    isTooLong = true;
  };

  return {
    write(chunk) {
      if (isClosed) return;
      const last = chunk.lastIndexOf(LINE_END);
      if (last === -1) return addOpen(chunk);
      // What is left of a line that was cut ends with the first line end.
      const from = isTooLong ? chunk.indexOf(LINE_END) + 1 : 0;
      isTooLong = false;
      const whole = Buffer.concat([open, chunk.subarray(from, last + 1)]);
      open = Buffer.alloc(0);
      if (whole.length > 0) appendLines(redact(whole.toString('utf8'), false));
      addOpen(chunk.subarray(last + 1));
    },
    end() {
      if (open.length > 0 && !isClosed) appendLines(`${redact(open.toString('utf8'), false)}\n`);
      open = Buffer.alloc(0);
      isTooLong = false;
    },
    async look() {
      if (isClosed) return;
      const isGone = !existsSync(filePath(folder, current.number));
      // Somebody removed the file: what is written to it would be lost.
      if (isGone) mkdirSync(folder.path, { recursive: true, mode: 0o700 });
      if (isGone || isRotationDue(current, { fileBytes: rotation.fileBytes, now: now() })) begin();
      await retireFiles(folder, rotation);
    },
    close() {
      if (!isClosed) closeSync(current.descriptor);
      isClosed = true;
    },
  };
}

/** As our own programs write lines, so that it is found by its level. */
function droppedNotice(count: number, now: Date): string {
  const what = count === 1 ? '1 line was' : `${count} lines were`;
  const msg = `${what} not written here: the disk did not take them`;
  return `${JSON.stringify({ level: 'warn', time: now.toISOString(), name: 'logs', msg })}\n`;
}

function newestNumber(names: readonly string[], folder: LogFolder): number {
  return Math.max(0, ...names.flatMap((name) => fileNumber(folder, name) ?? []));
}

/** Opens the newest file behind what it has; a line that a killed writer left gets its end, so that none is glued to it. */
function openNewest(folder: LogFolder): Current {
  const names = readdirSync(folder.path);
  const newest = newestNumber(names, folder);
  const isCompressed = names.some((name) => compressedPath(folder, newest).endsWith(`/${name}`));
  const number = newest === 0 || isCompressed ? newest + 1 : newest;
  const descriptor = openSync(filePath(folder, number), 'a+', 0o600);
  const { size, mtime } = fstatSync(descriptor);
  const file = { number, descriptor, bytes: size, hasLines: size > 0, writtenAt: mtime };
  const last = Buffer.alloc(1);
  if (size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === LINE_END)) return file;
  try {
    writeWhole(file, Buffer.from([LINE_END]));
    return { ...file, bytes: size + 1 };
  } catch {
    // The disk is full: its first line will be glued to this one.
    return file;
  }
}

/** Writes all of the bytes or none. @throws errors of the file system */
function writeWhole({ descriptor, bytes: end }: Current, bytes: Buffer): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    ftruncateSync(descriptor, end);
    throw error;
  }
}
