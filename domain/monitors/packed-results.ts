import { type CheckResult, OUTCOMES, PROBLEMS } from './check-result.ts';
import type { ResultBatch } from './ports.ts';

/**
 * Results in bytes, little-endian. In the documents of a shard each begins with the number of its monitor (4 bytes), in
 * those of one monitor it does not. Then: milliseconds since the base (4), outcome (1), problem (1; 255 for none),
 * milliseconds that it took (2; at most 65,535), HTTP status (2; 0 for none).
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

export function packResults(results: readonly CheckResult[], base: number): Uint8Array {
  const bytes = new Uint8Array(results.length * RESULT_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, result] of results.entries()) writeResult(view, index * RESULT_BYTES, result, base);
  return bytes;
}

export function unpackResults(bytes: Uint8Array, base: number): readonly CheckResult[] {
  const view = viewOf(bytes);
  return Array.from({ length: Math.floor(bytes.length / RESULT_BYTES) }, (_, index) =>
    readResult(view, index * RESULT_BYTES, base),
  );
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
  view.setUint16(offset + 6, Math.min(MOST_MS, Math.max(0, Math.round(result.durationMs))), true);
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
