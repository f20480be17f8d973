import { openSocket, type Target } from '../dial.ts';
import { type Finding, OK } from '../finding.ts';
import type { ProbeGuard } from '../probe-guard.ts';

/** A connection, and nothing is sent. */
export async function checkTcp(target: Target, guard: ProbeGuard, signal: AbortSignal): Promise<Finding> {
  const socket = await openSocket(target, guard, signal);
  socket.destroy();
  return OK;
}
