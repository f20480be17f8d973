/**
 * When each org would have all of its work done, had every org with work left an equal share of what is done in all.
 * @param work pieces of each org
 * @param perSecond pieces done in all
 * @returns seconds, in the order of `work`
 */
export function finishedByShares(work: readonly number[], perSecond: number): readonly number[] {
  const finished = work.map(() => 0);
  let [seconds, done] = [0, 0];
  const smallestFirst = work.map((pieces, org) => ({ pieces, org })).toSorted((a, b) => a.pieces - b.pieces);
  for (const [index, { pieces, org }] of smallestFirst.entries()) {
    const orgsWithWork = smallestFirst.length - index;
    // Each of them has done as many pieces as this one by the time it has done its last.
    seconds += ((pieces - done) * orgsWithWork) / perSecond;
    done = pieces;
    finished[org] = seconds;
  }
  return finished;
}
