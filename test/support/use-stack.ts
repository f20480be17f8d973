import { TEST_STACK } from '../../infra/dev/test-variables.ts';

/** Makes the stack with this data folder the one that end-to-end calls of this process reach. @returns makes it the one before */
export function useStack(dataDir: string): () => void {
  const outer = process.env[TEST_STACK];
  process.env[TEST_STACK] = dataDir;
  return () => {
    if (outer === undefined) delete process.env[TEST_STACK];
    else process.env[TEST_STACK] = outer;
  };
}
