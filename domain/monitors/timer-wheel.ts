/**
 * Timers of many keys, by a clock in milliseconds that never goes back. Setting, moving and removing one costs the same
 * however many there are. One turn of the wheel is about 41 s; what is due later stays for another turn.
 */
export interface TimerWheel {
  /** One timer a key: another time moves it. */
  set(key: string, dueMs: number): void;
  remove(key: string): void;
  dueOf(key: string): number | undefined;
  /** Takes out what is due, the earliest first. */
  takeDue(nowMs: number): readonly DueTimer[];
  /** When to ask again: not after the next timer, but perhaps before it. Null without timers. */
  wakeAtMs(): number | null;
}

export interface DueTimer {
  readonly key: string;
  readonly dueMs: number;
}

const SLOT_MS = 10;
const SLOTS = 4_096;

/** @param startMs before it, nothing was due */
export function createTimerWheel(startMs: number): TimerWheel {
  const slots = Array.from({ length: SLOTS }, () => new Map<string, number>());
  const slotOfKey = new Map<string, Map<string, number>>();
  /** The first tick that was not looked at whole. */
  let tick = tickOf(startMs);

  const slotAt = (at: number): Map<string, number> => slots[at % SLOTS] as Map<string, number>;
  const remove = (key: string): void => {
    slotOfKey.get(key)?.delete(key);
    slotOfKey.delete(key);
  };

  function takeTick(at: number, nowMs: number, due: DueTimer[]): void {
    for (const [key, dueMs] of slotAt(at)) {
      if (dueMs > nowMs) continue;
      due.push({ key, dueMs });
      remove(key);
    }
  }

  return {
    remove,
    set(key, dueMs) {
      remove(key);
      // What is late already is found with the next look.
      const slot = slotAt(Math.max(tick, tickOf(dueMs)));
      slot.set(key, dueMs);
      slotOfKey.set(key, slot);
    },
    dueOf: (key) => slotOfKey.get(key)?.get(key),
    takeDue(nowMs) {
      const due: DueTimer[] = [];
      const last = tickOf(nowMs);
      // After more than a turn each slot is looked at once.
      for (let at = Math.max(tick, last - SLOTS + 1); at <= last; at += 1) takeTick(at, nowMs, due);
      tick = Math.max(tick, last);
      return due.sort((a, b) => a.dueMs - b.dueMs);
    },
    wakeAtMs() {
      if (slotOfKey.size === 0) return null;
      for (let at = tick; at < tick + SLOTS; at += 1) {
        const next = earliest(slotAt(at), (at + 1) * SLOT_MS);
        if (next !== null) return next;
      }
      return (tick + SLOTS) * SLOT_MS;
    },
  };
}

function tickOf(ms: number): number {
  return Math.floor(ms / SLOT_MS);
}

/** The earliest timer of a slot that is due before its end in this turn; null for none. */
function earliest(slot: ReadonlyMap<string, number>, endMs: number): number | null {
  let found: number | null = null;
  for (const dueMs of slot.values()) if (dueMs < endMs && (found === null || dueMs < found)) found = dueMs;
  return found;
}
