const MIB = 1024 ** 2;

const MEANINGS: Readonly<Record<number, string>> = {
  126: 'its command cannot be executed',
  127: 'its command was not found',
  137: 'it was killed',
  139: 'segmentation fault',
  143: 'it was told to stop',
};

export const MEMORY_REMEDY = 'Use a larger pod tier.';

/** How a process ended that had no memory left, in the words of every runtime; without the full stop. */
export function ranOutOfMemory(limitBytes: number, restarts: number): string {
  return `The process ran out of memory (limit ${Math.round(limitBytes / MIB)} MiB) and was killed${restartNote(restarts)}`;
}

/** How any other one ended; without the full stop. @param meanings of exit codes that the runtime itself gives */
export function endedWith(exitCode: number, restarts: number, meanings: Readonly<Record<number, string>> = {}): string {
  const meaning = MEANINGS[exitCode] ?? meanings[exitCode];
  const code = `exit code ${exitCode}${meaning === undefined ? '' : `: ${meaning}`}`;
  return `The process ended with ${code}${restartNote(restarts)}`;
}

/** Such as `; restarted 2 times`; empty for a process that is the first one. */
export function restartNote(restarts: number): string {
  return restarts > 0 ? `; restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}` : '';
}
