import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { compareStatements } from '../../sdk/audit/compare-statements.ts';
import { type EvidenceKind, evidenceHead, verifyEvidence } from '../../sdk/audit/evidence.ts';
import { parseStatement } from '../../sdk/audit/signed-statement.ts';
import { textLines } from '../../sdk/audit/text-lines.ts';
import { assertContract, keysOf, readJson, showVerdict, unreadable } from '../audit-verdict.ts';
import { usageFailure } from '../cli-failure.ts';
import type { Alone } from '../perform.ts';

const COMPARED = {
  proven: 'Proven: both are of one history.',
  refuted: 'Refuted: the two contradict each other. The ledger signed two histories, or somebody else has its key.',
  undecided: 'Undecided: they contradict each other nowhere, or one of them is not signed: see above.',
};

/**
 * `fairlead audit compare <first> <second>`: whether two receipts or checkpoints are of one history. Exit 0 when they are, 1
 * when they contradict each other, 7 when neither is shown.
 */
export async function auditCompare(
  alone: Alone,
  paths: readonly [first: string, second: string],
  { key, evidence }: { readonly key: readonly string[]; readonly evidence?: string },
): Promise<number> {
  const [first, second] = [await readJson(paths[0], alone), await readJson(paths[1], alone)].map(parseStatement);
  if (first === undefined || second === undefined) throw usageFailure('Give two files.');
  const result = compareStatements(first, second, keysOf(key));
  if (result.verdict === 'refuted' && evidence !== undefined) {
    await writeFile(resolve(alone.cwd, evidence), evidenceHead('contradiction', [first, second])).catch((error) => {
      throw usageFailure(`${evidence} cannot be written: ${error.message}`);
    });
    alone.output.note(`Wrote ${evidence}`);
  }
  return showVerdict(alone.output, result, COMPARED);
}

const SHOWN: Readonly<Record<EvidenceKind, string>> = {
  omission: 'Proven: the ledger signed an event, and left it out of the day that it anchored.',
  contradiction: 'Proven: the ledger, or who has its key, signed two statements that contradict each other.',
};

/**
 * `fairlead audit verify-evidence <file>`: checks evidence that somebody else wrote, without the ledger. Exit 0 when it shows
 * what it claims, 1 when it does not, 7 when the chains could not be asked.
 */
export async function auditVerifyEvidence(
  alone: Alone,
  path: string,
  options: { readonly rpc: readonly string[]; readonly contract?: string; readonly key: readonly string[] },
): Promise<number> {
  const { contract, rpc, key } = options;
  assertContract(contract);
  const file = createReadStream(resolve(alone.cwd, path));
  file.on('error', () => {});
  const lines = textLines(file);
  const keys = keysOf(key);
  try {
    const result = await verifyEvidence({
      lines,
      keys,
      rpcUrls: rpc,
      ...(contract === undefined ? {} : { contract }),
    });
    return showVerdict(alone.output, result, {
      proven: SHOWN[result.kind],
      refuted: 'Not proven: the evidence does not show what it claims; see the failed checks above.',
      undecided: 'Undecided: no check failed, but something that the evidence needs is missing: see above.',
    });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  } finally {
    file.destroy();
  }
}
