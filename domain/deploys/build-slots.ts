import type { SlotRequested } from './messages.ts';

/** The order in which waiting builds get a slot: production first, then first come, first served. */
export function nextForSlot(waiting: readonly SlotRequested[]): SlotRequested | null {
  let best: SlotRequested | null = null;
  for (const candidate of waiting) {
    if (best === null || urgency(candidate) < urgency(best)) best = candidate;
  }
  return best;
}

function urgency(request: SlotRequested): number {
  return request.environment === 'prod' ? 0 : 1;
}
