import { parseJson } from '../../domain/parse-json.ts';

/** A value of 32,768 characters in JSON, each of them escaped, and what is around it. */
const MAX_REPLY_BYTES = 256 * 1024;

export interface JsonAnswer {
  readonly status: number;
  /** Null for what is no JSON. */
  readonly body: unknown;
}

/**
 * Sends JSON and reads a JSON answer of at most 256 KiB, within one limit of time for all of it. A credential follows no
 * redirect.
 * @throws Error when there is no whole answer: its message may name the address, and holds nothing of the answer
 */
export async function postJson(
  url: string,
  { token, body, timeoutMs }: { readonly token: string; readonly body: unknown; readonly timeoutMs: number },
): Promise<JsonAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw new RangeError(`the answer is larger than ${MAX_REPLY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, body: parseJson(Buffer.concat(chunks).toString('utf8')) };
}
