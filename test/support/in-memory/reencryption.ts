import { NO_PROGRESS, type ReencryptionCommands, type ReencryptionRun } from '../../../domain/config/messages.ts';

export interface InMemoryReencryption extends ReencryptionCommands {
  /** What the workflow has come to. */
  set(run: ReencryptionRun): void;
  readonly starts: () => number;
}

/** The re-encryption of secrets without its workflow: a test says what that has come to. */
export function createInMemoryReencryption(): InMemoryReencryption {
  let run: ReencryptionRun | null = null;
  let starts = 0;
  return {
    async start() {
      starts += 1;
      if (run?.status !== 'running') run = { status: 'running', progress: NO_PROGRESS, problem: null };
    },
    latest: async () => run,
    set(next) {
      run = next;
    },
    starts: () => starts,
  };
}
