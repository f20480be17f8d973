/** Whoever looks once a second has looked so often in vain. */
const MOST_SILENT_LOOKS = 5;

/**
 * Says of a thread that shows its beats whether it hangs. Looks are counted, and not the time: while the whole process stands
 * still, nobody looks.
 */
export function createStallWatch(): { hangs(beats: number): boolean } {
  let last = 0;
  let silent = 0;
  return {
    hangs(beats) {
      // It starts: how long that takes depends on the machine.
      silent = beats === last && beats > 0 ? silent + 1 : 0;
      last = beats;
      return silent >= MOST_SILENT_LOOKS;
    },
  };
}
