import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import type { EdgeError } from './error-page.ts';

export const BAD_ANSWER: EdgeError = {
  status: 502,
  title: 'The service answered with something that is not valid HTTP',
  advice: 'See fairlead logs for what it was doing.',
};

/** Characters that may stand in a reason phrase (RFC 9112, section 4). */
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Why a final answer must not be passed on, null when it may: Node's parser lets statuses and characters through that its
 * own server throws at, and framing that the client would read differently (RFC 9112, sections 4 and 6).
 */
export function faultOf(answer: IncomingMessage): string | null {
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
  if (statusCode < 200 || statusCode > 599) return `status ${statusCode}`;
  return faultOfReason(statusMessage) ?? faultOfHeaders(rawHeaders) ?? faultOfFraming(answer);
}

/** The same for an answer that switches to WebSocket (RFC 6455, section 4.2.2). */
export function faultOfUpgrade(answer: IncomingMessage): string | null {
  const { headers, statusMessage = '', rawHeaders } = answer;
  if (headers.upgrade?.toLowerCase() !== 'websocket') return `upgrade to ${headers.upgrade ?? 'nothing'}`;
  return faultOfReason(statusMessage) ?? faultOfHeaders(rawHeaders);
}

function faultOfReason(reason: string): string | null {
  return REASON_PHRASE.test(reason) ? null : 'a reason phrase with control characters';
}

function faultOfHeaders(rawHeaders: readonly string[]): string | null {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    try {
      validateHeaderName(name);
      validateHeaderValue(name, rawHeaders[index + 1] ?? '');
    } catch {
      return 'a header with characters that none may have';
    }
  }
  return null;
}

function faultOfFraming({ headers, headersDistinct }: IncomingMessage): string | null {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return `transfer coding ${coding}`;
  const lengths = headersDistinct['content-length'] ?? [];
  return lengths.every((length) => /^\d{1,15}$/.test(length)) && new Set(lengths).size <= 1 ? null : 'its length';
}
