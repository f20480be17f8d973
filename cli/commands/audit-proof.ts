import { pathOf } from '../api-client.ts';
import { type ProofReply, proofReply } from '../audit-replies.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToLedger } from '../ledger-api.ts';
import { type Fields, printFields } from '../terminal/fields.ts';
import { writeDocument } from '../write-document.ts';

/**
 * `fairlead audit proof <id>`: the proof of an event, for `audit verify` and for whoever is to be convinced. Exit 3 before
 * the night's batch.
 */
export async function auditProof(
  context: CliContext,
  id: string,
  options: { readonly output?: string },
): Promise<number> {
  const { output } = context;
  const proof = await connectToLedger(context).call(proofReply, { method: 'GET', path: pathOf('v1', 'proofs', id) });
  output.document(proof);
  const path = options.output;
  if (path !== undefined) await writeDocument(path, context.cwd, proof);
  if (output.quiet) output.print(path ?? proof.root);
  else if (path !== undefined) output.print(`Wrote ${path}`);
  else printFields(output, fieldsOf(proof));
  if (proof.anchors.length === 0) output.note('It is not anchored on any chain yet: try again in a few hours.');
  else
    output.note(
      `Verify it with a node of each chain: fairlead audit verify ${path ?? '<file>'} --contract <address> --rpc <url> …`,
    );
  return exitCode('ok');
}

/** What the ledger says of an anchor in its database that it did not sign, or not like that. */
const DOUBTS: ReadonlyMap<string, string> = new Map([
  ['missing', 'not signed, not checked'],
  ['wrong', 'does not match its signature'],
]);

function fieldsOf({ batchId, root, eventHash, leafIndex, proof, anchors }: ProofReply): Fields {
  return [
    ['Batch', batchId],
    ['Root', root],
    ['Event', `${eventHash}, leaf ${leafIndex}, ${proof.length} steps to the root`],
    ...anchors.map(({ chainId, blockNumber, txHash, explorerUrl, signature }) => {
      const place = `block ${blockNumber}, ${explorerUrl ?? txHash}`;
      return ['Anchor', `chain ${chainId}, ${DOUBTS.get(signature ?? 'good') ?? place}`] as const;
    }),
  ];
}
