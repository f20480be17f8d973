import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { ChainNodes } from './check-chains.ts';
import { compareStatements } from './compare-statements.ts';
import type { LeafLines, LeafLists } from './leaf-lists.ts';
import { type ProofCheck, type Verdict, verdictOf } from './proof-check.ts';
import { parseStatement, type SignedStatement } from './signed-statement.ts';
import { verifyDay } from './verify-day.ts';

/**
 * Evidence against a ledger, in one file of one JSON value a line. The first line has what the ledger signed: two statements
 * that contradict each other, or the one whose event was left out; then the leaf lists follow in which that event is not, as
 * the ledger published them. Whoever has the ledger's key and the address of the contract checks it without the ledger.
 */
const headSchema = z.strictObject({
  fairleadEvidence: z.literal(1),
  kind: z.enum(['omission', 'contradiction']),
  statements: z.array(z.unknown()).min(1).max(2),
});

export type EvidenceKind = z.infer<typeof headSchema>['kind'];

/** The first line of the file. */
export function evidenceHead(kind: EvidenceKind, statements: readonly SignedStatement[]): string {
  const head: z.infer<typeof headSchema> = {
    fairleadEvidence: 1,
    kind,
    statements: statements.map(({ document }) => document),
  };
  return `${JSON.stringify(head)}\n`;
}

/**
 * `proven`: the ledger did what the evidence says. `refuted`: the evidence does not show it. `undecided`: none of the keys given
 * has signed it, in its window, or a chain is missing: somebody with another key may see more.
 */
export interface EvidenceVerdict {
  readonly kind: EvidenceKind;
  readonly verdict: Verdict;
  readonly checks: readonly ProofCheck[];
}

export interface EvidenceInput extends ChainNodes {
  /** Of the file. */
  readonly lines: LeafLines;
  readonly keys: readonly string[];
  readonly now?: Date;
}

/** Checks evidence from the file alone, and for an omission the nodes. @throws VALIDATION_FAILED for what is no evidence */
export async function verifyEvidence({ lines, keys, ...nodes }: EvidenceInput): Promise<EvidenceVerdict> {
  const first = await lines.next();
  const head = headSchema.safeParse(parseJson(first.done === true ? '' : first.value));
  if (!head.success) throw notEvidence();
  const { kind } = head.data;
  const [one, two, ...more] = head.data.statements.map(parseStatement);
  if (one === undefined || more.length > 0 || (two === undefined) !== (kind === 'omission')) throw notEvidence();
  const checks =
    two === undefined
      ? await omissionChecks(one, keys, { lists: listsOf(lines), ...nodes })
      : contradiction(one, two, keys);
  return { kind, verdict: verdictOf(checks), checks };
}

function contradiction(one: SignedStatement, two: SignedStatement, keys: readonly string[]): readonly ProofCheck[] {
  return compareStatements(one, two, keys).checks.map((check) => {
    if (check.check !== 'history') return check;
    const isShown = check.outcome === 'failed';
    return isShown ? { ...check, outcome: 'passed' } : { ...check, outcome: 'failed' };
  });
}

async function omissionChecks(
  statement: SignedStatement,
  keys: readonly string[],
  rest: ChainNodes & { readonly lists: LeafLists; readonly now?: Date },
): Promise<readonly ProofCheck[]> {
  const { checks, isOmission } = await verifyDay({ day: statement.day, statement, keys, ...rest });
  const place = checks.at(-1);
  return checks.map((check) => {
    if (check !== place) return check;
    if (isOmission) return { ...check, outcome: 'passed' };
    return { ...check, outcome: check.outcome === 'passed' ? 'failed' : check.outcome };
  });
}

/** The lists stand in the order in which they are asked for. */
function listsOf(lines: LeafLines): LeafLists {
  return async () => ({ next: () => lines.next() });
}

function notEvidence(): FairleadError {
  return new FairleadError('VALIDATION_FAILED', 'This is no evidence of an audit ledger');
}
