import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { leafListHeadSchema } from '../../domain/audit-ledger/leaf-list.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { type LeafLists, ledgerLists } from '../../sdk/audit/leaf-lists.ts';
import { parseStatement, type SignedStatement } from '../../sdk/audit/signed-statement.ts';
import { textLines } from '../../sdk/audit/text-lines.ts';
import { type DayVerdict, verifyDay } from '../../sdk/audit/verify-day.ts';
import { assertContract, keysOf, readJson, showVerdict, unreadable } from '../audit-verdict.ts';
import { usageFailure } from '../cli-failure.ts';
import { writeEvidence } from '../evidence-file.ts';
import type { Alone } from '../perform.ts';

export interface VerifyDayOptions {
  readonly ledger?: string;
  readonly leaves: readonly string[];
  readonly rpc: readonly string[];
  readonly contract?: string;
  readonly receipt?: string;
  readonly checkpoint?: string;
  readonly key: readonly string[];
  readonly evidence?: string;
}

/**
 * `fairlead audit verify-day <day>`: computes the root of a day from its public leaf list, asks the chains for it, and looks
 * for the event of a receipt or checkpoint in it. Exit 0 when all holds, 1 when not, such as when the event was left out,
 * 7 when neither is shown.
 */
export async function auditVerifyDay(alone: Alone, day: string, options: VerifyDayOptions): Promise<number> {
  const { contract, rpc, key, evidence } = options;
  assertContract(contract);
  const statement = await readStatement(alone, options);
  if (evidence !== undefined && statement === undefined) {
    throw usageFailure('--evidence needs --receipt or --checkpoint: what the ledger signed.');
  }
  const verify = (lists: LeafLists): Promise<DayVerdict> =>
    verifyDay({
      day,
      lists,
      rpcUrls: rpc,
      keys: keysOf(key),
      ...(contract === undefined ? {} : { contract }),
      ...(statement === undefined ? {} : { statement }),
    });
  const lists = await listsOf(alone, options);
  const result =
    evidence === undefined || statement === undefined
      ? await verify(lists)
      : await writeEvidence(resolve(alone.cwd, evidence), statement, lists, verify);
  if (result.isOmission && evidence !== undefined) alone.output.note(`Wrote ${evidence}`);
  return showVerdict(alone.output, result, sentencesOf(result, statement));
}

async function readStatement(alone: Alone, options: VerifyDayOptions): Promise<SignedStatement | undefined> {
  const { receipt, checkpoint, key } = options;
  if (receipt !== undefined && checkpoint !== undefined)
    throw usageFailure('Give --receipt or --checkpoint, not both.');
  const path = receipt ?? checkpoint;
  if (path === undefined) return undefined;
  if (key.length === 0) throw usageFailure('--key is missing: only a key of the ledger can verify the signature.');
  const statement = parseStatement(await readJson(path, alone));
  const wanted = receipt === undefined ? 'checkpoint' : 'receipt';
  if (statement.kind !== wanted) throw usageFailure(`${path} is no ${wanted}.`);
  return statement;
}

async function listsOf({ cwd }: Alone, { ledger, leaves }: VerifyDayOptions): Promise<LeafLists> {
  if (ledger !== undefined && leaves.length === 0) return ledgerLists(ledger);
  if (ledger !== undefined || leaves.length === 0) throw usageFailure('Give --ledger, or --leaves, and not both.');
  const paths = new Map<string, string>();
  for (const path of leaves) paths.set(await dayOfFile(resolve(cwd, path)), resolve(cwd, path));
  return async (day) => {
    const path = paths.get(day);
    return path === undefined ? null : textLines(createReadStream(path));
  };
}

async function dayOfFile(path: string): Promise<string> {
  const lines = textLines(createReadStream(path));
  try {
    const first = await lines.next();
    const head = leafListHeadSchema.safeParse(parseJson(first.done === true ? '' : first.value));
    if (head.success) return head.data.batchId;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    await lines.return(undefined);
  }
  throw usageFailure(`${path} is no leaf list.`);
}

function sentencesOf({ isOmission }: DayVerdict, statement: SignedStatement | undefined) {
  return {
    proven:
      statement === undefined
        ? 'Proven: this is the list of the day that was anchored.'
        : 'Proven: the event is in the day that was anchored.',
    refuted: isOmission
      ? 'Not proven: the ledger signed the event, and left it out of the day that it anchored.'
      : 'Not proven: see the failed checks above.',
    undecided: 'Undecided: no check failed, but something that decides it is missing: see above.',
  };
}
