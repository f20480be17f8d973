import type { Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ERROR_CODES, type FairleadError } from '../../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';
import { sendJson } from './send-json.ts';

/** Every reply is `{ success: true, data }` or `{ success: false, error }` (spec 2, "Endpoints"). */
export const errorEnvelopeSchema = z.object({
  success: z.literal(false),
  error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), details: z.unknown().optional() }),
});

export function sendData(response: Response, status: number, data: unknown): void {
  sendJson(response, status, { success: true, data });
}

/** Sends an error as its code's status; what it was caused by stays in the log. */
export function sendError(response: Response, error: FairleadError): void {
  const { code, message, details } = error;
  const wait = retryAfterSeconds(error);
  if (wait !== null) response.setHeader('Retry-After', String(wait));
  const body = { code, message, ...(details === undefined ? {} : { details }) };
  sendJson(response, ERROR_STATUS[code], { success: false, error: body });
}

/** Seconds after which the same call may succeed: those the error names, or a moment for what passes by itself. */
function retryAfterSeconds({ details, retryable }: FairleadError): number | null {
  if (typeof details === 'object' && details !== null && 'retryAfterSeconds' in details) {
    return Number(details.retryAfterSeconds);
  }
  return retryable ? 2 : null;
}

/**
 * The logger of the request, with its id in every line; undefined before the request has one. Made for those who ask:
 * most requests log nothing but that they were.
 */
export function requestLogger(response: Response): Logger | undefined {
  const { serviceLog, requestId } = response.locals;
  return (serviceLog as Logger | undefined)?.child({ requestId });
}
