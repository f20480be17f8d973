import { hash, timingSafeEqual } from 'node:crypto';

/** As a heartbeat's token is kept: whoever reads the database reports no job. */
export function hashHeartbeatToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** In constant time. @param tokenHash as {@link hashHeartbeatToken} writes it */
export function isHeartbeatToken(token: string, tokenHash: string): boolean {
  const kept = Buffer.from(tokenHash, 'hex');
  const presented = hash('sha256', token, 'buffer');
  return kept.length === presented.length && timingSafeEqual(kept, presented);
}

/** The address that a job calls. @param publicUrl of the uptime monitor */
export function heartbeatUrl(publicUrl: string, monitorId: string, token: string): string {
  return `${publicUrl}/api/heartbeats/${monitorId}/${token}`;
}
