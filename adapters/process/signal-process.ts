/**
 * Sends a signal to a process, or to its group when the id is negative. No error is one that has just ended (ESRCH), nor one that is not
 * ours to signal (EPERM): another user's, and on macOS a group of which only zombies are left.
 */
export function signalIfOurs(id: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
