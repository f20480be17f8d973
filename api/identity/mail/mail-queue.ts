import type { Logger } from 'pino';
import { isRetryable } from '../../../domain/errors.ts';

/** Work that goes on after the reply was sent: looking accounts up and sending them mail. */
export interface MailQueue {
  /**
   * Takes a job on; false when the queue is full, or enough waits for its address. It never throws and never waits. A job
   * is tried again when its failure may pass, and `onFailure` is called once it was given up.
   */
  add(job: MailJob): boolean;
  /** Resolves when nothing is waiting or running; for the process's end, and for tests. */
  idle(): Promise<void>;
}

export interface MailJob {
  /** What it is, for the log. */
  readonly name: string;
  /** Address it is for. Jobs for one address run in the order they were added: the newest mail holds the valid link. */
  readonly to: string;
  /** True for what tells of something that happened: nobody asks for it again. */
  readonly notice?: boolean;
  readonly run: () => Promise<void>;
  readonly onFailure?: () => Promise<void>;
}

export interface MailQueueOptions {
  readonly log: Logger;
  /** Mails that may wait, and as many notices; more are dropped, so that a flood costs mail and not memory. */
  readonly capacity?: number;
  /** Jobs that may wait for one address: one person's mail takes no places from others. */
  readonly perAddress?: number;
  /** Mails at once, and as many notices. */
  readonly atOnce?: number;
  /** Milliseconds before each further attempt at a job whose failure may pass. */
  readonly retryDelaysMs?: readonly number[];
}

/**
 * A bounded queue in this process. Whoever asks for a mail must not learn from the answer, or from its time, whether
 * there is such an account: so everything that depends on it happens here. It is no workflow because a job holds the
 * secret of a link, which belongs in no history; what is lost with the process is asked for again by its person. Notices
 * have places of their own: anybody can ask for mail without signing in, and must not displace what tells of a thief.
 */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const [mails, notices] = [createLane(options), createLane(options)];
  return {
    add: (job) => (job.notice === true ? notices : mails).add(job),
    async idle() {
      await Promise.all([mails.idle(), notices.idle()]);
    },
  };
}

function createLane(options: MailQueueOptions): MailQueue {
  const { log, capacity = 1_000, perAddress = 20, atOnce = 4, retryDelaysMs = [1_000, 5_000] } = options;
  const waiting: MailJob[] = [];
  /** Addresses that a job runs for; never more than one job each. */
  const busy = new Set<string>();
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  async function attempt(job: MailJob): Promise<boolean> {
    for (const delayMs of [...retryDelaysMs, null]) {
      try {
        await job.run();
        return true;
      } catch (error) {
        const again = isRetryable(error) && delayMs !== null;
        log.warn({ err: error, job: job.name, again }, 'a mail job failed');
        if (!again) return false;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    return false;
  }

  async function run(job: MailJob): Promise<void> {
    try {
      if (!(await attempt(job))) await job.onFailure?.();
    } catch (error) {
      log.error({ err: error, job: job.name }, 'the failure of a mail job could not be recorded');
    }
  }

  function next(): void {
    const index = busy.size < atOnce ? waiting.findIndex(({ to }) => !busy.has(to)) : -1;
    const job = waiting[index];
    if (job === undefined) {
      if (busy.size === 0) idle.resolve();
      return;
    }
    waiting.splice(index, 1);
    busy.add(job.to);
    // One tick later, so that nothing of the job comes before the reply.
    setImmediate(() => {
      run(job).then(() => {
        busy.delete(job.to);
        next();
      });
    });
  }

  return {
    add(job) {
      if (waiting.length >= capacity) {
        log.error({ job: job.name, capacity }, 'the mail queue is full: a mail is dropped');
        return false;
      }
      if (waiting.filter(({ to }) => to === job.to).length >= perAddress) {
        log.warn({ job: job.name, perAddress }, 'too many mails wait for one address: a mail is dropped');
        return false;
      }
      if (busy.size === 0 && waiting.length === 0) idle = Promise.withResolvers();
      waiting.push(job);
      next();
      return true;
    },
    idle: () => idle.promise,
  };
}
