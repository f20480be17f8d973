import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { WalletReader } from '../../domain/wallet/ports.ts';

export interface WalletConnection {
  /** WALLET_URL, without a trailing slash. */
  readonly url: string;
  readonly internalKey: string;
  /** Longest wait for a whole answer; 5 seconds when it says nothing. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
/** An answer has a few hundred bytes. */
const MOST_BYTES = 64 * 1024;

const replySchema = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.object({ org: z.string(), balance: z.int().min(0) }) }),
  z.object({ success: z.literal(false), error: z.object({ code: z.string() }) }),
]);

/** Reads balances by the wallet's HTTP API. An answer in other terms than the wallet's counts as none. */
export function createWalletReader(connection: WalletConnection): WalletReader {
  return {
    async readBalance(org, signal) {
      const { status, text } = await get(connection, `/wallets/${encodeURIComponent(org)}`, signal);
      const reply = replySchema.safeParse(parseJson(text));
      if (!reply.success) throw unavailable(`answered ${status} in an unexpected format`);
      if (!reply.data.success) throw refusal(org, reply.data.error.code);
      const { data } = reply.data;
      if (data.org !== org) throw unavailable('answered for another org');
      return data.balance;
    },
  };
}

async function get(
  { url, internalKey, timeoutMs = TIMEOUT_MS }: WalletConnection,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url + path, {
      // The key must not follow a redirect to another host.
      redirect: 'error',
      headers: { accept: 'application/json', 'x-internal-key': internalKey },
      signal: AbortSignal.any([signal, limit]),
    });
    return { status: response.status, text: await readText(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FairleadError) throw error;
    throw unavailable(limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached', error);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw unavailable(`answered more than ${MOST_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal(org: string, code: string): FairleadError {
  if (code === 'ORG_NOT_FOUND') return new FairleadError('ORG_NOT_FOUND', `The wallet knows no org ${org}.`);
  if (code === 'UNAUTHORIZED') return unavailable('does not take the key of the builder (INTERNAL_SERVICE_KEY)');
  return unavailable(`failed with ${code.slice(0, 64)}`);
}

function unavailable(what: string, cause?: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', `The wallet ${what}.`, { system: 'wallet', retryable: true, cause });
}
