/**
 * Work that needs to succeed once for each key: callers at the same time share one run, and those after it its success.
 * What failed is run again for the next caller.
 */
export function succeedOnce(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const runs = new Map<string, Promise<void>>();
  return (key) => {
    const known = runs.get(key);
    if (known !== undefined) return known;
    const run = work(key).catch((error: unknown) => {
      runs.delete(key);
      throw error;
    });
    runs.set(key, run);
    return run;
  };
}
