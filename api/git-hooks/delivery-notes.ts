import type { Clock } from '../../domain/clock.ts';
import type { DeliveryNote } from '../../domain/git-hooks/connection.ts';
import type { GitConnectionStore } from '../../domain/git-hooks/ports.ts';

/** A connection is written to once in this time at most, whatever comes in. */
const APART_MS = 60_000;
/** Connections of one minute. What comes in for more is noted in the next one. */
const MOST = 10_000;

export interface DeliveryNotes {
  /** A delivery was proved genuine. */
  delivered(connectionId: string): void;
  /** A delivery to a connection that exists proved nothing. */
  refused(connectionId: string): void;
}

const NOTHING: DeliveryNote = { lastDeliveryAt: null, refusedDeliveries: 0, lastRefusedAt: null };

/**
 * Notes what comes in at the records of connections. The first is written at once, what comes within a minute after it
 * together: a stranger who delivers all the time causes one write a minute. What cannot be written is written with the
 * next; a process that is killed forgets a minute.
 */
export function createDeliveryNotes({
  gitConnections,
  now,
}: {
  readonly gitConnections: Pick<GitConnectionStore, 'noteDeliveries'>;
  readonly now: Clock;
}): DeliveryNotes {
  const waiting = new Map<string, DeliveryNote>();
  const write = async (id: string, note: DeliveryNote): Promise<void> => {
    try {
      await gitConnections.noteDeliveries(id, note);
    } catch {
      // The database is away, which the delivery itself is answered with.
      const since = waiting.get(id) ?? NOTHING;
      waiting.set(id, since.lastDeliveryAt === null ? together(note, since) : since);
    }
    setTimeout(() => next(id), APART_MS).unref();
  };
  const next = (id: string): void => {
    const note = waiting.get(id);
    waiting.delete(id);
    if (note === undefined || note === NOTHING) return;
    waiting.set(id, NOTHING);
    void write(id, note);
  };
  const add = (id: string, change: (since: DeliveryNote) => DeliveryNote): void => {
    const since = waiting.get(id);
    if (since !== undefined) waiting.set(id, change(since));
    else if (waiting.size < MOST) {
      waiting.set(id, NOTHING);
      void write(id, change(NOTHING));
    }
  };
  return {
    delivered: (id) => add(id, () => ({ ...NOTHING, lastDeliveryAt: now() })),
    refused: (id) =>
      add(id, (since) => ({
        ...since,
        refusedDeliveries: since.refusedDeliveries + 1,
        lastRefusedAt: now(),
      })),
  };
}

/** Two notes as one, of which the later has nothing genuine. */
function together(earlier: DeliveryNote, later: DeliveryNote): DeliveryNote {
  return {
    lastDeliveryAt: earlier.lastDeliveryAt,
    refusedDeliveries: earlier.refusedDeliveries + later.refusedDeliveries,
    lastRefusedAt: later.lastRefusedAt ?? earlier.lastRefusedAt,
  };
}
