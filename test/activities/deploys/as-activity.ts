import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

const SILENT = new DefaultLogger('ERROR', () => undefined);

/** Runs something as an attempt of an activity; `begun` gets what cancels it. */
export async function asActivity<T>(
  work: () => Promise<T>,
  { attempt = 1, begun }: { readonly attempt?: number; readonly begun?: (cancel: () => void) => void } = {},
): Promise<T> {
  const environment = new MockActivityEnvironment({ attempt }, { logger: SILENT });
  begun?.(() => environment.cancel('CANCELLED'));
  return (await environment.run(work)) as T;
}
