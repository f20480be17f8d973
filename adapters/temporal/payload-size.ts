import { FairleadError } from '../../domain/errors.ts';

/** Well under the server's own 2 MiB: history stays small, and a mistake is found before it is stuck in a workflow. */
export const PAYLOAD_LIMIT_BYTES = 256 * 1024;

/** @throws PAYLOAD_OVER_LIMIT when a value is too large to travel through a workflow. */
export function assertPayloadSize(value: unknown, what: string): void {
  if (value === undefined) return;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= PAYLOAD_LIMIT_BYTES) return;
  const message = `${what} has ${bytes} bytes and may have ${PAYLOAD_LIMIT_BYTES}: pass a reference to stored data instead.`;
  throw new FairleadError('PAYLOAD_OVER_LIMIT', message, { details: { bytes, limit: PAYLOAD_LIMIT_BYTES } });
}
