import { condition } from '@temporalio/workflow';

/** Runs asynchronous work of a workflow one at a time, in the order of the calls. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let serving = 0;
  let issued = 0;
  return async (work) => {
    const ticket = issued;
    issued += 1;
    await condition(() => serving === ticket);
    try {
      return await work();
    } finally {
      serving += 1;
    }
  };
}
