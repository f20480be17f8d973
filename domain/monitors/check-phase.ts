/**
 * Where in its interval a monitor is checked: always at the same moment of it by the database's clock, whoever checks, so
 * that a start makes no storm and a change of the holder no gap.
 */

/** Milliseconds from the beginning of an interval, 0 to below it. */
export function phaseOf(id: string, intervalMs: number): number {
  return hashOf(id) % intervalMs;
}

/** The first moment after `afterMs` at which the monitor has its turn; both by the same clock since 1970. */
export function nextTurn(id: string, intervalMs: number, afterMs: number): number {
  const phaseMs = phaseOf(id, intervalMs);
  return (Math.floor((afterMs - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs;
}

/** FNV-1a, 32 bits, and mixed once more: ids that differ in their last character alone are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
