/** What every process of the platform owes whoever started it: a word when it serves, and an orderly end. */
export interface HostProcess {
  /** Resolves when someone asks the process to stop: SIGTERM, SIGINT, or the supervisor is gone. */
  readonly stopRequested: Promise<string>;
  /** Tells the supervisor that the process serves. */
  ready(): void;
}

export function createHostProcess(): HostProcess {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  // A supervisor that was killed closes the channel: nothing may outlive it.
  if (process.connected) process.once('disconnect', () => resolve('the supervisor is gone'));
  return { stopRequested: promise, ready: () => void process.send?.('ready') };
}
