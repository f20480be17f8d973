import { openSocket, type Target } from '../dial.ts';
import { type Finding, OK } from '../finding.ts';
import type { Probe } from '../probe.ts';

/** A connection, and nothing is sent. */
export async function checkTcp(target: Target, probe: Probe, signal: AbortSignal): Promise<Finding> {
  const socket = await openSocket(target, probe, signal);
  socket.destroy();
  return OK;
}
