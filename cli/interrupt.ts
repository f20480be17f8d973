import { CliFailure } from './cli-failure.ts';

/**
 * Does work that Ctrl-C (or SIGTERM) stops in order: its signal aborts with a failure that says what became of it.
 * @throws CliFailure INTERRUPTED with exit `interrupted`, when the work throws the reason of its signal
 */
export async function interruptible<T>(
  told: { readonly message: string; readonly remedy: string; readonly details?: unknown },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const { message, remedy, details } = told;
  const onSignal = (): void => {
    interrupted.abort(new CliFailure('INTERRUPTED', message, { exit: 'interrupted', remedy, details }));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await work(interrupted.signal);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
