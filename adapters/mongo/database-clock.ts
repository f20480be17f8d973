import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { mongoCall } from './connect.ts';
import { readDocument } from './read-document.ts';

/** The database's time, for what processes whose clocks differ must agree on. */
export interface DatabaseClock {
  /** A little behind the database's time, by the way of one reply, and never ahead of it. Asks nobody. */
  readonly now: Clock;
  /** The database's time, asked for now: whatever was written before has an earlier one by `now`. @throws UNAVAILABLE */
  read(): Promise<Date>;
  close(): void;
}

/** A process that was asleep, or whose database failed over to a member with another clock, is right again after this. */
const READ_EVERY_MS = 10_000;
const READ_LIMIT_MS = 5_000;

/** `hello` has the same field, and the embedded stand-in knows the command by its first name alone. */
const replySchema = z.object({ localTime: z.date() });

/**
 * Follows the clock of the database: it is asked every few seconds, and in between the time goes on by a clock that
 * nobody sets. What the clock of this machine says has no part in it.
 * @param onFailure gets what kept it from asking; the time goes on meanwhile
 * @throws UNAVAILABLE (retryable) when the database does not answer at first
 */
export async function followDatabaseClock(options: {
  readonly db: Db;
  readonly onFailure: (error: unknown) => void;
}): Promise<DatabaseClock> {
  const ask = async (): Promise<{ readonly time: number; readonly at: number }> => {
    const reply = await mongoCall(() => options.db.command({ isMaster: 1 }, { timeoutMS: READ_LIMIT_MS }));
    // When the reply came: its time is of a moment before.
    return { time: readDocument('reply', replySchema, reply).localTime.getTime(), at: performance.now() };
  };
  let last = await ask();
  const read = async (): Promise<Date> => {
    last = await ask();
    return new Date(last.time);
  };
  const timer = setInterval(() => void read().catch(options.onFailure), READ_EVERY_MS).unref();
  return {
    now: () => new Date(last.time + Math.floor(performance.now() - last.at)),
    read,
    close: () => clearInterval(timer),
  };
}
