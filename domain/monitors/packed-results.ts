import { type CheckResult, OUTCOMES, PROBLEMS } from './check-result.ts';
import type { ResultBatch } from './ports.ts';
import { createByteReader, createByteWriter } from './varint.ts';

/**
 * Results in bytes, as they come, little-endian: the number of the monitor (4 bytes), milliseconds since the base (4), outcome (1),
 * problem (1; 255 for none), milliseconds that it took (2; at most 65,535), HTTP status (2; 0 for none). They are rewritten within
 * hours: {@link packResults} is how they are kept.
 */
const NUMBER_BYTES = 4;
const RESULT_BYTES = 10;
const NO_PROBLEM = 255;
const MOST_MS = 65_535;

type Numbered = ResultBatch['results'][number];

/** @param base ms since 1970; each result is at most 49 days after it */
export function packShard(results: readonly Numbered[], base: number): Uint8Array {
  const bytes = new Uint8Array(results.length * (NUMBER_BYTES + RESULT_BYTES));
  const view = new DataView(bytes.buffer);
  for (const [index, result] of results.entries()) {
    const offset = index * (NUMBER_BYTES + RESULT_BYTES);
    view.setUint32(offset, result.number, true);
    writeResult(view, offset + NUMBER_BYTES, result, base);
  }
  return bytes;
}

export function unpackShard(bytes: Uint8Array, base: number): readonly Numbered[] {
  const view = viewOf(bytes);
  const size = NUMBER_BYTES + RESULT_BYTES;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => ({
    number: view.getUint32(index * size, true),
    ...readResult(view, index * size + NUMBER_BYTES, base),
  }));
}

/** What a first byte says of the result: its outcome, and what follows. */
const OUTCOME_BITS = 0b0111;
const HAS_PROBLEM = 0b1000;
const HAS_STATUS = 0b1_0000;

/**
 * Results of one monitor in bytes, by time. Each has a first byte; by how many milliseconds its distance to the one before
 * differs from the distance before that, which is next to nothing for checks at an interval; the milliseconds that it took, at
 * most 65,535; where there is one, the problem (1 byte); and where it is another than before, the HTTP status (0 for none). The
 * numbers are of variable length: most results take 3 bytes.
 * @param base ms since 1970, from which the first distance counts
 */
export function packResults(results: readonly CheckResult[], base: number): Uint8Array {
  const writer = createByteWriter();
  let [at, distance, status] = [base, 0, 0];
  for (const result of results) {
    const isOther = (result.status ?? 0) !== status;
    const hasProblem = result.problem !== null;
    writer.byte(OUTCOMES.indexOf(result.outcome) | (hasProblem ? HAS_PROBLEM : 0) | (isOther ? HAS_STATUS : 0));
    writer.signed(result.at - at - distance);
    writer.number(wholeMs(result.durationMs));
    if (result.problem !== null) writer.byte(PROBLEMS.indexOf(result.problem));
    if (isOther) writer.number(result.status ?? 0);
    [at, distance, status] = [result.at, result.at - at, result.status ?? 0];
  }
  return writer.written();
}

export function unpackResults(bytes: Uint8Array, base: number): readonly CheckResult[] {
  const reader = createByteReader(bytes);
  const results: CheckResult[] = [];
  let [at, distance, status] = [base, 0, 0];
  while (!reader.isOver()) {
    const first = reader.byte();
    distance += reader.signed();
    at += distance;
    const durationMs = reader.number();
    const problem = (first & HAS_PROBLEM) === 0 ? null : (PROBLEMS[reader.byte()] ?? 'other');
    if ((first & HAS_STATUS) !== 0) status = reader.number();
    const outcome = OUTCOMES[first & OUTCOME_BITS] ?? 'unknown';
    results.push({ at, outcome, durationMs, problem, status: status === 0 ? null : status });
  }
  return results;
}

function wholeMs(durationMs: number): number {
  return Math.min(MOST_MS, Math.max(0, Math.round(durationMs)));
}

/** By time, and one of a time only: what was stored twice counts once. */
export function inOrder(results: readonly CheckResult[]): readonly CheckResult[] {
  const sorted = [...results].sort((a, b) => a.at - b.at);
  return sorted.filter(({ at }, index) => at !== sorted[index - 1]?.at);
}

function writeResult(view: DataView, offset: number, result: CheckResult, base: number): void {
  view.setUint32(offset, result.at - base, true);
  view.setUint8(offset + 4, OUTCOMES.indexOf(result.outcome));
  view.setUint8(offset + 5, result.problem === null ? NO_PROBLEM : PROBLEMS.indexOf(result.problem));
  view.setUint16(offset + 6, wholeMs(result.durationMs), true);
  view.setUint16(offset + 8, result.status ?? 0, true);
}

/** A problem of a later version is told as `other`, an outcome of one as `unknown`. */
function readResult(view: DataView, offset: number, base: number): CheckResult {
  const problem = view.getUint8(offset + 5);
  const status = view.getUint16(offset + 8, true);
  return {
    at: base + view.getUint32(offset, true),
    outcome: OUTCOMES[view.getUint8(offset + 4)] ?? 'unknown',
    durationMs: view.getUint16(offset + 6, true),
    problem: problem === NO_PROBLEM ? null : (PROBLEMS[problem] ?? 'other'),
    status: status === 0 ? null : status,
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
