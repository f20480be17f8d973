import { parseEvent, parseProof, parseReceipt } from '../../sdk/audit/proof-documents.ts';
import { verifyProof } from '../../sdk/audit/verify-proof.ts';
import { assertContract, keysOf, readJson, showVerdict } from '../audit-verdict.ts';
import { usageFailure } from '../cli-failure.ts';
import type { Alone } from '../perform.ts';

export interface VerifyOptions {
  readonly rpc: readonly string[];
  readonly contract?: string;
  readonly event?: string;
  readonly receipt?: string;
  readonly key: readonly string[];
}

const SENTENCES = {
  proven: 'Proven: the event was in the ledger when this root was anchored, and has not changed since.',
  refuted: 'Not proven: see the failed checks above.',
  undecided: 'Undecided: no check failed, but something that a proof needs is missing: see above.',
};

/**
 * `fairlead audit verify`: checks a proof with nothing but the nodes that are named. Exit 0 when it is proven, 1 when
 * something contradicts it, 7 when neither: a node could not be asked, there is one chain alone, or no contract was given.
 */
export async function verifyProofFile(alone: Alone, path: string, options: VerifyOptions): Promise<number> {
  const { contract, event, receipt, rpc, key } = options;
  assertContract(contract);
  if (receipt !== undefined && key.length === 0) {
    throw usageFailure('--receipt needs --key: only a key of the ledger can verify the signature.');
  }
  const result = await verifyProof({
    proof: parseProof(await readJson(path, alone)),
    rpcUrls: rpc,
    keys: keysOf(key),
    ...(contract === undefined ? {} : { contract }),
    ...(event === undefined ? {} : { event: parseEvent(await readJson(event, alone)) }),
    ...(receipt === undefined ? {} : { receipt: parseReceipt(await readJson(receipt, alone)) }),
  });
  return showVerdict(alone.output, result, SENTENCES);
}
