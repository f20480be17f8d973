/** How long a workload that does not get ready is left alone while nothing changes. */
export const QUIET_MS = 10_000;

/** @returns a function of what is watched, called again and again: true once it was the same for {@link QUIET_MS} */
export function createQuietCheck(now: () => number): (watched: string) => boolean {
  let last = '';
  let since = now();
  return (watched) => {
    if (watched !== last) {
      last = watched;
      since = now();
    }
    return now() - since >= QUIET_MS;
  };
}
