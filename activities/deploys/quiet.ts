/** How long a workload that does not get ready is left alone while nothing changes. */
export const QUIET_MS = 10_000;

/** @returns a function of what is watched, called again and again: true once it was the same for that time */
export function createQuietCheck(now: () => number, forMs = QUIET_MS): (watched: string) => boolean {
  let last = '';
  let since = now();
  return (watched) => {
    if (watched !== last) {
      last = watched;
      since = now();
    }
    return now() - since >= forMs;
  };
}
