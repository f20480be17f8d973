import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, pathOf } from '../api-client.ts';
import { historyReply, type VerdictReply, verificationReply } from '../audit-replies.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { connectToLedger } from '../ledger-api.ts';
import { printable } from '../terminal/style.ts';

const POLL_MS = 1_000;

/**
 * `fairlead audit verify-entity <entity>`: has the ledger read the history of an entity again, waiting for a long one.
 * Exit 0 when it holds, 1 when it does not.
 */
export async function auditVerifyEntity(
  context: CliContext,
  entityId: string,
  options: { readonly expectedHead?: string },
): Promise<number> {
  const { output } = context;
  const ledger = connectToLedger(context);
  const first = await ledger.call(historyReply, {
    method: 'GET',
    path: pathOf('v1', 'entities', entityId, 'verify'),
    query: { expectedHead: options.expectedHead },
  });
  const verdict = 'verdict' in first ? first.verdict : await inBackground(context, ledger, first.verificationId);
  output.document(verdict);
  if (output.quiet) output.print(verdict.valid ? 'valid' : 'broken');
  else output.print(sentence(context, entityId, verdict));
  return exitCode(verdict.valid ? 'ok' : 'failed');
}

/** @throws CliFailure VERIFICATION_FAILED; INTERRUPTED on Ctrl-C */
async function inBackground({ output }: CliContext, ledger: ApiClient, id: string): Promise<VerdictReply> {
  const told = {
    message: 'Stopped waiting: the verification continues.',
    remedy: 'Run the command again at any time.',
  };
  return interruptible({ ...told, details: { verificationId: id } }, async (signal) => {
    output.note('The chain is long: the ledger verifies it in the background. Waiting … (Ctrl-C stops waiting)');
    for (;;) {
      const path = pathOf('v1', 'verifications', id);
      const { status, verdict = null } = await ledger.call(verificationReply, { method: 'GET', path, signal });
      if (status === 'completed' && verdict !== null) return verdict;
      if (status !== 'running') {
        throw new CliFailure('VERIFICATION_FAILED', 'The ledger could not verify the history.', {
          details: { verificationId: id },
          remedy: 'See its log, then try again.',
        });
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });
}

function sentence({ output }: CliContext, entityId: string, { valid, count, brokenAt, reason }: VerdictReply): string {
  const entity = printable(entityId);
  if (valid) return `${output.paint('good', '✓')} The history of ${entity} holds: ${count} events verified`;
  const place = brokenAt == null ? '' : ` at ${brokenAt.namespace} #${brokenAt.chainIndex}`;
  return `${output.paint('bad', '✗')} The history of ${entity} is broken${place}: ${reason ?? 'no reason given'}`;
}
